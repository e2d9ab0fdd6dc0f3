/// The read and write access to one object: `{"*":{"read":true},"<user id>":{"write":true},"role:<name>":{…}}`
/// (protocol/data 5.2).
///
/// Rights add up and nothing takes one away: `false` says as much as silence.
package struct AccessControlList: Sendable, Hashable {
    /// What an entry grants.
    package enum Right: String, Sendable {
        case read
        case write
    }

    /// Rights by subject, in the wire's form.
    package let json: [String: JSONValue]

    /// Takes the ACL of a request; `null` means none was given.
    ///
    /// - Throws: ``ServiceError/Code/invalidACL`` (code 123) naming the entry that is wrong.
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

    /// What an object without an ACL is open to (protocol/data 5.2).
    package static let everyone = AccessControlList(
        stored: [everyoneEntry: .object(["read": .bool(true), "write": .bool(true)])]
    )

    /// The entry for every caller.
    package static let everyoneEntry = "*"

    /// What stands for a role.
    package static func subject(ofRole name: String) -> String { "role:\(name)" }

    /// The entry of a class's default ACL that stands for the user who creates an object.
    package static let owner = "owner"

    /// Whether one of the subjects has the right.
    ///
    /// Names are compared byte by byte, as in a database: Swift takes `K` and the Kelvin sign for the same text.
    package func grants(_ right: Right, to subjects: Subjects) -> Bool {
        json.contains { subject, rights in
            guard rights.objectValue?[right.rawValue] == .bool(true),
                let index = subjects.all.firstIndex(of: subject)
            else { return false }
            return subjects.all[index].utf8.elementsEqual(subject.utf8)
        }
    }

    /// The ACL of a new object where this one is the class's default: the entry `owner` is the user's, or goes.
    package func owned(by user: ObjectID?) -> AccessControlList {
        var entries = json
        let rights = entries.removeValue(forKey: AccessControlList.owner)
        if let user, let rights { entries[user.description] = rights }
        return AccessControlList(stored: entries)
    }

    /// More than any app needs, and few enough to look at in each row of a query.
    private static let maxEntries = 1000

    /// The most bytes of an entry's name, without `role:`; names of roles have as many.
    private static let longestSubject = 128

    /// Throws ``ServiceError/Code/invalidACL`` if an entry's name is too long, or Unicode calls it equal to another
    /// one's.
    ///
    /// Any other name is stored, as on LeanCloud: an entry that names no user and no role grants no rights
    /// (protocol/data 5.2).
    private static func requireSubject(_ text: String) throws {
        let name = text.hasPrefix("role:") ? text.dropFirst(5) : text[...]
        guard name.utf8.count <= longestSubject else {
            throw ServiceError(
                .invalidACL,
                "Invalid ACL: the name of the entry '\(text.prefix(64))' has more than \(longestSubject) bytes."
            )
        }
        // The Kelvin sign is the one letter that normalisation makes a letter of ASCII, of which names of roles
        // consist.
        guard !text.unicodeScalars.contains("\u{212A}") else {
            throw ServiceError(
                .invalidACL,
                "Invalid ACL: the name of the entry '\(text.prefix(64))' has a character that looks like another one."
            )
        }
    }
}
