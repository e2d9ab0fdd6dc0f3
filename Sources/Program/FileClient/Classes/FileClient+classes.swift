internal import FoundationEssentials

/// Classes, their fields and their indexes; the calls need the master key.
///
/// Every call throws ``FileClientError``, with the server's message if it refused the request.
extension FileClient {
    /// The fields of every class of the app, by class name and field name.
    public func classes() async throws -> [String: [String: ClassField]] {
        try await call("GET", ["schemas"])
    }

    /// The fields of a class by name, including the built-in ones.
    public func fields(of className: String) async throws -> [String: ClassField] {
        try await call("GET", ["schemas", className])
    }

    /// Changes a field; creates it, and its class, if a type is given.
    ///
    /// - Parameters:
    ///   - field: The field's name.
    ///   - className: The class; created if it does not exist.
    ///   - change: The attributes to change; `nil` attributes stay unchanged. The type of an existing field cannot
    ///     change.
    /// - Returns: All attributes of the field.
    /// - Throws: ``FileClientError``.
    public func setField(_ field: String, of className: String, to change: ClassField) async throws -> ClassField {
        let body = [UInt8](try JSONEncoder().encode(change))
        return try await call("PUT", ["schemas", className, field], body)
    }

    /// The indexes of a class.
    public func indexes(of className: String) async throws -> [ClassIndex] {
        struct Reply: Decodable {
            let results: [ClassIndex]
        }
        let reply: Reply = try await call("GET", ["indexes", className])
        return reply.results
    }

    /// Creates an index, unless one on the same fields exists.
    ///
    /// - Parameters:
    ///   - fields: One or two fields, or paths inside Object fields: `profile.city`.
    ///   - className: An existing class.
    /// - Returns: The index.
    /// - Throws: ``FileClientError``.
    public func addIndex(on fields: [String], of className: String) async throws -> ClassIndex {
        let body = [UInt8](try JSONEncoder().encode(["fields": fields]))
        return try await call("POST", ["indexes", className], body)
    }

    /// Removes an index by name; the index of a unique field is removed with the attribute instead.
    public func removeIndex(_ name: String, of className: String) async throws {
        let _: [String: JSON] = try await call("DELETE", ["indexes", className, name])
    }
}
