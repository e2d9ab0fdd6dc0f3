/// A file as the source of derivatives.
package struct ImageOrigin: Sendable {
    /// The string that identifies the source within the app.
    package let source: String
    /// A string that differs for other bytes.
    package let version: String
    /// The size in bytes.
    package let size: Int64
    /// The media type with which the source is served.
    package let mediaType: MediaType
    /// Opens its bytes.
    package let open: @Sendable () async throws -> any OpenBlob
    /// Whether the source still exists and is not known to be damaged, so that derivatives of it can be stored.
    package let isThere: @Sendable () async -> Bool

    /// Creates a source from its values and functions.
    package init(
        source: String,
        version: String,
        size: Int64,
        mediaType: MediaType,
        open: @escaping @Sendable () async throws -> any OpenBlob,
        isThere: @escaping @Sendable () async -> Bool = { true }
    ) {
        self.source = source
        self.version = version
        self.size = size
        self.mediaType = mediaType
        self.open = open
        self.isThere = isThere
    }

    /// Creates a source from a file of an app.
    package init(_ file: ServedFile, in files: FileService) {
        self.init(
            source: file.key.description,
            version: file.digest.description,
            size: file.size,
            mediaType: file.mediaType,
            open: { try await files.open(file) },
            isThere: {
                // If the look-up fails, the file counts as existing.
                do {
                    return try await files.currentRecord(file.key).map { !$0.isDamaged } ?? false
                } catch {
                    return true
                }
            }
        )
    }

    /// The cache name of one of its derivatives.
    func name(of request: String) -> DerivativeName {
        DerivativeName(source: source, request: "\(version)|\(request)")
    }
}
