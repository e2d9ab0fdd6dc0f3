/// The location of a file record's bytes.
package enum FileLocation: Sendable {
    /// A blob of this server, under a key.
    case here(FileKey)
    /// A URL on another server.
    case elsewhere(RemoteURL)
}

extension ObjectService {
    /// The location of a file's bytes, for a caller who is allowed to read its record.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` if the record does not exist or has no location;
    ///   ``ServiceError/Code/forbidden`` if the caller is not allowed to read it.
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
