/// The read and write access to one object: `{"*":{"read":true},"<user id>":{"write":true},"role:<name>":{…}}`
/// (protocol/data 5.2).
///
/// Rights accumulate and no entry revokes one: `false` is equal to a missing right.
package struct AccessControlList: Sendable, Hashable {
    /// A right that an entry grants.
    package enum Right: String, Sendable {
        case read
        case write
    }

    /// The rights of each subject, in the wire format.
    package let json: [String: JSONValue]

    /// Parses the ACL of a request; `nil` for `null`.
    ///
    /// - Throws: ``ServiceError/Code/invalidACL`` (code 123) naming the malformed entry.
    package init?(_ value: JSONValue) throws {
        if case .null = value { return nil }
        guard let entries = value.objectValue else {
            throw ServiceError(.invalidACL, "Invalid ACL: it must be a JSON object.")
        }
        guard entries.count <= AccessControlList.maxEntries else {
            throw ServiceError(.invalidACL, "Invalid ACL: it has more than \(AccessControlList.maxEntries) entries.")
        }
        for (subject, rights) in entries {
            try AccessControlList.requireSubject(subject)
            guard let rights = rights.objectValue,
                rights.allSatisfy({
                    Right(rawValue: $0.key) != nil && ($0.value == .bool(true) || $0.value == .bool(false))
                })
            else {
                throw ServiceError(
                    .invalidACL,
                    "Invalid ACL: the entry '\(subject.prefix(64))' must be an object of 'read' and 'write', true or "
                        + "false."
                )
            }
        }
        json = entries
    }

    /// Reads a stored ACL, which was checked when it was written.
    package init(stored json: [String: JSONValue]) {
        self.json = json
    }

    /// The access to an object without an ACL (protocol/data 5.2).
    package static let everyone = AccessControlList(
        stored: [everyoneEntry: .object(["read": .bool(true), "write": .bool(true)])]
    )

    /// The ACL as it is stored: `nil` for ``everyone``, because a missing ACL means the same and is faster to check.
    package var storable: AccessControlList? { self == .everyone ? nil : self }

    /// The entry for every caller.
    package static let everyoneEntry = "*"

    /// The subject of a role.
    package static func subject(ofRole name: String) -> String { "role:\(name)" }

    /// The entry of a class's default ACL for the user who creates an object.
    package static let owner = "owner"

    /// Whether one of the subjects has the right.
    ///
    /// Names are compared byte by byte, as in a database: Swift treats `K` and the Kelvin sign as equal strings.
    package func grants(_ right: Right, to subjects: Subjects) -> Bool {
        json.contains { subject, rights in
            rights.objectValue?[right.rawValue] == .bool(true) && subjects.all.containsSpelling(subject)
        }
    }

    /// The ACL of a new object if this one is the class's default: the entry `owner` becomes the user's, or is removed
    /// without a user.
    package func owned(by user: ObjectID?) -> AccessControlList {
        var entries = json
        let rights = entries.removeValue(forKey: AccessControlList.owner)
        if let user, let rights { entries[user.description] = rights }
        return AccessControlList(stored: entries)
    }

    /// The maximum number of entries: more than any app needs, and few enough to scan in each row of a query.
    private static let maxEntries = 1000

    /// The maximum length of an entry's name in bytes without `role:`, the same as for names of roles.
    private static let longestSubject = 128

    /// Checks the name of an entry.
    ///
    /// Throws ``ServiceError/Code/invalidACL`` if the name is too long, or canonically equivalent to another entry's
    /// name. Any other name is stored, as on LeanCloud: an entry that names no user and no role grants no rights
    /// (protocol/data 5.2).
    private static func requireSubject(_ text: String) throws {
        let name = text.hasPrefix("role:") ? text.dropFirst(5) : text[...]
        guard name.utf8.count <= longestSubject else {
            throw ServiceError(
                .invalidACL,
                "Invalid ACL: the name of the entry '\(text.prefix(64))' has more than \(longestSubject) bytes."
            )
        }
        // The Kelvin sign is the only letter that normalization maps to an ASCII letter.
        guard !text.unicodeScalars.contains("\u{212A}") else {
            throw ServiceError(
                .invalidACL,
                "Invalid ACL: the name of the entry '\(text.prefix(64))' has a character that looks like another one."
            )
        }
    }
}
