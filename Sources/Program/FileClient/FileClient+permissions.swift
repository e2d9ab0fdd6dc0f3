internal import FoundationEssentials

/// Class permissions; the calls need the master key.
///
/// Every call throws ``FileClientError``, with the server's message if it refused.
extension FileClient {
    /// The permissions of every class of the app, by its name.
    public func permissions() async throws -> [String: ClassPermissions] {
        try await call("GET", ["permissions"])
    }

    /// The permissions of a class.
    public func permissions(of className: String) async throws -> ClassPermissions {
        try await call("GET", ["permissions", className])
    }

    /// Allows an operation of a class to the named users and roles only.
    ///
    /// - Parameters:
    ///   - operation: `add_fields`, `create`, `delete`, `find`, `get` or `update`.
    ///   - className: The class; made if there is none.
    ///   - audience: `everyone`, `users`, `user:<objectId>`, `role:<name>`; only the master key if it is empty.
    /// - Returns: All permissions of the class.
    /// - Throws: ``FileClientError``.
    public func setPermission(
        _ operation: String,
        of className: String,
        to audience: [String]
    ) async throws -> ClassPermissions {
        let body = [UInt8](try JSONEncoder().encode([operation: audience]))
        return try await call("PUT", ["permissions", className], .json(body))
    }

    /// Sets the ACL of new objects without an ACL; the entry `owner` stands for the user who creates the object.
    ///
    /// - Parameters:
    ///   - acl: Such as `{"owner":{"read":true,"write":true}}`.
    ///   - className: The class; made if there is none.
    /// - Returns: All permissions of the class.
    /// - Throws: ``FileClientError``.
    public func setDefaultACL(_ acl: JSON, of className: String) async throws -> ClassPermissions {
        let body = [UInt8](try JSONEncoder().encode(["defaultACL": acl]))
        return try await call("PUT", ["permissions", className], .json(body))
    }
}

/// The permissions of a class.
public struct ClassPermissions: Sendable, Hashable, Decodable {
    /// Who is allowed to do each operation; only the master key if the list is empty.
    public let operations: [String: [String]]
    /// The ACL of new objects that bring none.
    public let defaultACL: JSON

    /// Reads `{"create":["users"],"delete":[],…,"defaultACL":{…}}`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        var operations: [String: [String]] = [:]
        for name in members.allKeys where name != .defaultACL {
            operations[name.stringValue] = try members.decode([String].self, forKey: name)
        }
        self.operations = operations
        defaultACL = try members.decode(JSON.self, forKey: .defaultACL)
    }

    private struct Name: CodingKey, Equatable {
        static let defaultACL = Name(stringValue: "defaultACL")

        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }
}
