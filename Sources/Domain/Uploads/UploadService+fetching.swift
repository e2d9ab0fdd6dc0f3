extension UploadService {
    /// Copies the content of a URL on another server to a file, whose metadata contains the URL.
    ///
    /// - Parameters:
    ///   - url: The URL; the fetcher decides whether it is allowed.
    ///   - description: The client's description of the file; without a media type, the type of the bytes is used.
    ///   - caller: The caller.
    /// - Returns: The file's record.
    /// - Throws: Errors of the rules and of the fetcher.
    package func copy(
        _ url: RemoteURL,
        _ description: UploadDescription,
        as caller: Caller
    ) async throws -> FileRecord {
        guard let fetcher = fetchers?.fetcher(for: caller.group) else {
            throw ServiceError(.notAvailable, "This server does not fetch files.")
        }
        try requestLimits.takeFetch(by: caller)
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
                let said = head.mediaType?.essence
                description.mediaType = detected?.description == "text/plain" ? byExtension ?? said : nil
                description.mediaType = description.mediaType ?? detected ?? byExtension ?? said
            }
            return [description]
        }
        return records[0]
    }
}
