internal import FoundationEssentials

/// Classes, their fields and their indexes; for clients with the master key alone.
///
/// Every call throws ``FileClientError``, with the server's message if it refused.
extension FileClient {
    /// Every class of the app by its name, with its fields by theirs.
    public func classes() async throws -> [String: [String: ClassField]] {
        try await call("GET", ["schemas"])
    }

    /// The fields of a class by their names, those among them that every object has.
    public func fields(of className: String) async throws -> [String: ClassField] {
        try await call("GET", ["schemas", className])
    }

    /// Changes a field, or makes it, and its class, if a type is given.
    ///
    /// - Parameters:
    ///   - field: The field's name.
    ///   - className: The class; made if there is none.
    ///   - change: What is to change; what is `nil` stays as it is. The type of a field that is there cannot change.
    /// - Returns: All that is now said of the field.
    /// - Throws: ``FileClientError``.
    public func setField(_ field: String, of className: String, to change: ClassField) async throws -> ClassField {
        let body = [UInt8](try JSONEncoder().encode(change))
        return try await call("PUT", ["schemas", className, field], .json(body))
    }

    /// The indexes of a class.
    public func indexes(of className: String) async throws -> [ClassIndex] {
        struct Reply: Decodable {
            let results: [ClassIndex]
        }
        let reply: Reply = try await call("GET", ["indexes", className])
        return reply.results
    }

    /// Makes an index, unless there is one on the same fields.
    ///
    /// - Parameters:
    ///   - fields: One field or two, or places inside Object fields: `profile.city`.
    ///   - className: A class that is there.
    /// - Returns: The index.
    /// - Throws: ``FileClientError``.
    public func addIndex(on fields: [String], of className: String) async throws -> ClassIndex {
        let body = [UInt8](try JSONEncoder().encode(["fields": fields]))
        return try await call("POST", ["indexes", className], .json(body))
    }

    /// Removes an index by its name; that of a unique field goes with the flag instead.
    public func removeIndex(_ name: String, of className: String) async throws {
        let _: [String: JSON] = try await call("DELETE", ["indexes", className, name])
    }

    /// Calls the path that the names make, each percent-encoded, and reads the answer.
    func call<Reply: Decodable>(
        _ method: String,
        _ names: [String],
        _ payload: Payload = .nothing
    ) async throws -> Reply {
        guard names.allSatisfy({ !$0.isEmpty }) else {
            throw FileClientError(status: 0, message: "the name of a class, field or index is empty")
        }
        let path = "/1.1/" + names.map(\.percentEncoded).joined(separator: "/")
        let body = try await perform(method, path, payload)
        do {
            return try JSONDecoder().decode(Reply.self, from: Data(body))
        } catch {
            throw FileClientError(status: 0, message: "the answer does not come from an lcfile server")
        }
    }
}

extension String {
    /// The text as one part of a path: every byte but unreserved characters as `%XX` (RFC 3986 section 2.3).
    var percentEncoded: String {
        utf8.map { byte -> String in
            if unreserved.contains(byte) { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

private let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
