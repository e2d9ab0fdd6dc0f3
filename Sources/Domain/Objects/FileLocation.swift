/// Where the bytes of a file record are.
package enum FileLocation: Sendable {
    /// On this server, under a key.
    case here(FileKey)
    /// On another one.
    case elsewhere(RemoteURL)
}

extension ObjectService {
    /// Where the bytes of a file are, for a caller who is allowed to read its record.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` if there is no such record, or none that leads to bytes;
    ///   ``ServiceError/Code/forbidden`` if the caller may not read it.
    package func location(ofFile id: ObjectID, as caller: Caller) async throws -> FileLocation {
        let reply = try await perform(ObjectCommand(.file, .get(id)), as: caller)
        let members = (try? JSONValue(parsing: reply.text, field: "reply"))?.objectValue ?? [:]
        if let key = members["key"]?.stringValue.flatMap({ FileKey($0) }) { return .here(key) }
        guard let text = members["url"]?.stringValue, let url = try? RemoteURL(text) else {
            throw ServiceError(.objectNotFound, "File not found.")
        }
        return .elsewhere(url)
    }
}
