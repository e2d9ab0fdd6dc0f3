internal import FoundationEssentials

/// Class permissions; the calls need the master key.
///
/// Every call throws ``FileClientError``, with the server's message if it refused the request.
extension FileClient {
    /// The permissions of every class of the app, by class name.
    public func permissions() async throws -> [String: ClassPermissions] {
        try await call("GET", ["permissions"])
    }

    /// The permissions of a class.
    public func permissions(of className: String) async throws -> ClassPermissions {
        try await call("GET", ["permissions", className])
    }

    /// Allows an operation of a class only to the named users and roles.
    ///
    /// - Parameters:
    ///   - operation: `add_fields`, `create`, `delete`, `find`, `get` or `update`.
    ///   - className: The class; created if it does not exist.
    ///   - audience: `everyone`, `users`, `user:<objectId>`, `role:<name>`; an empty list allows only the master key.
    /// - Returns: All permissions of the class.
    /// - Throws: ``FileClientError``.
    public func setPermission(
        _ operation: String,
        of className: String,
        to audience: [String]
    ) async throws -> ClassPermissions {
        let body = [UInt8](try JSONEncoder().encode([operation: audience]))
        return try await call("PUT", ["permissions", className], body)
    }

    /// Sets the ACL of new objects without an ACL; the entry `owner` applies to the user who creates the object.
    ///
    /// - Parameters:
    ///   - acl: Such as `{"owner":{"read":true,"write":true}}`.
    ///   - className: The class; created if it does not exist.
    /// - Returns: All permissions of the class.
    /// - Throws: ``FileClientError``.
    public func setDefaultACL(_ acl: JSON, of className: String) async throws -> ClassPermissions {
        let body = [UInt8](try JSONEncoder().encode(["defaultACL": acl]))
        return try await call("PUT", ["permissions", className], body)
    }
}

/// The permissions of a class.
public struct ClassPermissions: Sendable, Hashable, Codable {
    /// The callers who are allowed to do each operation; an empty list allows only the master key.
    public let operations: [String: [String]]
    /// The ACL of new objects without an ACL.
    public let defaultACL: JSON

    /// Decodes `{"create":["users"],"delete":[],…,"defaultACL":{…}}`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        var operations: [String: [String]] = [:]
        for name in members.allKeys where name != .defaultACL {
            operations[name.stringValue] = try members.decode([String].self, forKey: name)
        }
        self.operations = operations
        defaultACL = try members.decode(JSON.self, forKey: .defaultACL)
    }

    /// Encodes the same form.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        for (name, audience) in operations { try members.encode(audience, forKey: Name(stringValue: name)) }
        try members.encode(defaultACL, forKey: .defaultACL)
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
