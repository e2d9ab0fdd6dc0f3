/// Who may read and write one object: `{"*":{"read":true},"<user id>":{"write":true},"role:<name>":{…}}`.
///
/// Checked for its form when it comes in; rules that use it arrive with users and roles.
package struct AccessControlList: Sendable, Hashable {
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
        for (subject, rights) in entries {
            guard !subject.isEmpty, let rights = rights.objectValue,
                rights.allSatisfy({
                    ["read", "write"].contains($0.key) && ($0.value == .bool(true) || $0.value == .bool(false))
                })
            else {
                throw ServiceError(
                    .invalidACL,
                    "Invalid ACL: the entry '\(subject.prefix(64))' must be an object of 'read' and 'write', true or false."
                )
            }
        }
        json = entries
    }

    /// Takes back what a store kept; it was checked when it came in.
    package init(stored json: [String: JSONValue]) {
        self.json = json
    }

    /// What an object without an ACL is open to (data-protocol 5.2).
    package static let everyone = AccessControlList(
        stored: ["*": .object(["read": .bool(true), "write": .bool(true)])]
    )
}
