/// A file as the source of derivatives.
package struct ImageOrigin: Sendable {
    /// What tells it from other sources of the app.
    package let source: String
    /// Other bytes have another one.
    package let version: String
    /// In bytes.
    package let size: Int64
    /// What it is served as.
    package let mediaType: MediaType
    /// Opens its bytes.
    package let open: @Sendable () async throws -> any OpenBlob
    /// Whether it still exists, so that derivatives of it can be stored.
    package let isThere: @Sendable () async -> Bool

    /// Takes what tells of a source, and ways to it.
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

    /// A file of an app.
    package init(_ file: ServedFile, in files: FileService) {
        self.init(
            source: file.key.description,
            version: file.digest.description,
            size: file.size,
            mediaType: file.mediaType,
            open: { try await files.open(file) },
            isThere: {
                // What cannot be looked up is not gone.
                do { return try await files.find(file.key) != nil } catch { return true }
            }
        )
    }

    /// The name of its derivatives in the cache.
    func name(of request: String) -> DerivativeName {
        DerivativeName(source: source, request: "\(version)|\(request)")
    }
}
