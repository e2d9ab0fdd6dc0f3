extension UploadService {
    /// Copies what lies at a URL elsewhere in: an ordinary file that remembers where it came from.
    ///
    /// - Parameters:
    ///   - url: The address; the fetcher decides whether it may be asked.
    ///   - description: What the client said of the file; without a type, that of the bytes counts.
    ///   - caller: Who asks.
    /// - Returns: The file's record.
    /// - Throws: What a rule refuses, and what the fetcher does.
    package func copy(
        _ url: RemoteURL,
        _ description: UploadDescription,
        as caller: Caller
    ) async throws -> FileRecord {
        guard let fetcher = fetchers?.fetcher(for: caller.group) else {
            throw ServiceError(.notAvailable, "This server does not fetch files.")
        }
        var description = description
        description.source = url
        let records = try await receive(as: caller) { [description] files in
            try await files.begin()
            let head = try await files.fill { sink in try await fetcher.fetch(url) { try await sink.append($0) } }
            var description = description
            if description.mediaType == nil {
                let facts = try await files.uploads[0].finish(needsMD5: false)
                let detected = try await types.type(of: facts.head)
                let byExtension = description.name.pathExtension.flatMap(types.type(ofExtension:))
                // The detected type takes precedence over the server's type, except that any text is detected as plain
                // text.
                description.mediaType = detected?.description == "text/plain" ? byExtension ?? head.mediaType : nil
                description.mediaType = description.mediaType ?? detected ?? byExtension ?? head.mediaType
            }
            return [description]
        }
        return records[0]
    }
}
