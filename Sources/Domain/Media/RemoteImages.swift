internal import Crypto
internal import NIOCore
internal import Synchronization

/// Fetches image files from other servers within limits, and caches them for a while beside their derivatives.
package struct RemoteImages: Sendable {
    private let fetchers: Fetchers
    private let derivatives: any DerivativeStore
    private let types: any TypeDetector
    private let limit: Int64
    private let inFlight = SingleFlight<DerivativeName, StoredDerivative>()
    private let memory: ServedMemory
    private let requestLimits: RequestLimits

    /// Milliseconds after which a file is fetched again at the latest, because changes of it are not announced.
    package static let lifetime: Int64 = 86_400_000

    /// - Parameters:
    ///   - fetchers: The fetchers; they check the addresses to which they connect.
    ///   - derivatives: The app's cache.
    ///   - types: Detects the type of bytes for which the other server sent none.
    ///   - limit: The maximum size of a file in bytes (`images.maxSourceSize`).
    ///   - memory: Memory for files from their first bytes until they are stored, and for files that cannot be stored
    ///     while they are read; shared by all apps of a server.
    ///   - requestLimits: Limits the fetches of clients; shared by all apps of a server.
    package init(
        fetchers: Fetchers,
        derivatives: any DerivativeStore,
        types: any TypeDetector,
        limit: Int64,
        memory: ServedMemory,
        requestLimits: RequestLimits = RequestLimits()
    ) {
        self.fetchers = fetchers
        self.derivatives = derivatives
        self.types = types
        self.limit = limit
        self.memory = memory
        self.requestLimits = requestLimits
    }

    /// The file at a record's URL as the source of derivatives, fetched now unless it is cached.
    ///
    /// - Parameters:
    ///   - url: The URL in a record.
    ///   - caller: The caller; `nil` for the server itself, whose fetches are not limited.
    /// - Returns: The source, and the same bytes as a response body.
    /// - Throws: The errors of ``Fetcher/fetch(_:into:)``; ``ServiceError/Code/imageTooLarge`` if the file is too
    ///   large,
    ///   ``ServiceError/Code/overloaded`` if too many files are fetched, wait for the disk, or are read without being
    ///   stored.
    package func origin(
        of url: RemoteURL,
        for caller: Caller?
    ) async throws -> (ImageOrigin, StoredDerivative) {
        let name = RemoteImages.name(of: url)
        let file =
            if let kept = try? await derivatives.open(name) {
                kept
            } else {
                try await fetch(url, as: name, for: caller)
            }
        let origin = ImageOrigin(
            source: name.source,
            version: file.tag,
            size: file.blob.size,
            mediaType: file.mediaType,
            open: { file.blob }
        )
        return (origin, file)
    }

    /// The version of the cached copy of a file, as of ``ImageOrigin/version``; `nil` without one.
    func cachedVersion(of url: RemoteURL) async -> String? {
        try? await derivatives.open(RemoteImages.name(of: url))?.tag
    }

    /// Removes the cached copy of a file, so that the next caller fetches it.
    func forget(_ url: RemoteURL) async throws {
        try await derivatives.remove(allOf: RemoteImages.name(of: url).source)
    }

    /// Whether a file is an image: by the type that the other server sent, or by its first bytes.
    func isImage(_ origin: ImageOrigin) async throws -> Bool {
        if origin.mediaType.topLevel == "image" { return true }
        let head = try await origin.open().read(at: 0, count: Int(min(origin.size, RemoteImages.headLength)))
        return try await types.imageType(of: head) != nil
    }

    /// The number of bytes by which types are detected.
    private static let headLength: Int64 = 65_536

    /// The name of today's copy; it contains the URL, not the record: a file with several records is fetched once.
    private static func name(of url: RemoteURL) -> DerivativeName {
        let digest = SHA256.hash(data: Array(url.description.utf8))
        // The day of each URL begins at a different hour, so that not all files are fetched again at once.
        let hour = digest.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) } % 24 * (lifetime / 24)
        let day = (Timestamp.now().milliseconds + hour) / lifetime
        return DerivativeName(source: "url:\(digest.hexadecimal)", request: "source/\(day)")
    }

    private func fetch(
        _ url: RemoteURL,
        as name: DerivativeName,
        for caller: Caller?
    ) async throws -> StoredDerivative {
        if let caller { try requestLimits.takeFetch(by: caller) }
        return try await inFlight.value(for: name) {
            // Another task can have stored the file since the caller's check.
            if let kept = try? await derivatives.open(name) { return kept }
            // Reserved until the file is stored, or until no client reads it: the disk can be slower than the senders.
            let reservation = ServedMemory.Reservation(in: memory)
            let (bytes, said) = try await collect(url, for: caller?.group ?? .master, in: reservation)
            let type = try await type(of: bytes, said)
            // Served from the disk if possible: slow clients must not hold the file in memory.
            try? await derivatives.store(bytes, as: type, under: name)
            if let kept = try? await derivatives.open(name) { return kept }
            let tag = StoredDerivative.tag(of: bytes)
            return StoredDerivative(blob: reservation.blob(of: bytes), mediaType: type, tag: tag)
        }
    }

    /// Collects the bytes of a file, which count as they arrive, and the media type that the other server sent.
    private func collect(
        _ url: RemoteURL,
        for group: CallerGroup,
        in reservation: ServedMemory.Reservation
    ) async throws -> (ByteBuffer, MediaType?) {
        let collected = Mutex(ByteBuffer())
        let head = try await fetchers.fetcher(for: group).fetch(url) { [limit] piece in
            try collected.withLock { bytes in
                guard Int64(bytes.readableBytes + piece.readableBytes) <= limit else {
                    throw ServiceError(
                        .imageTooLarge,
                        "The file has more than \(limit) bytes, which is the limit (images.maxSourceSize)."
                    )
                }
                guard reservation.grow(by: piece.readableBytes) else {
                    throw ServiceError(
                        .overloaded,
                        "Too many files are being fetched; try again in a second.",
                        limit: "fetch.threads"
                    )
                }
                bytes.writeImmutableBuffer(piece)
            }
        }
        return (collected.withLock { $0 }, head.mediaType?.essence)
    }

    private func type(of bytes: ByteBuffer, _ said: MediaType?) async throws -> MediaType {
        if let said, said != .octetStream { return said }
        let length = min(bytes.readableBytes, Int(RemoteImages.headLength))
        let start = bytes.getSlice(at: bytes.readerIndex, length: length) ?? bytes
        return try await types.type(of: start) ?? .octetStream
    }
}
