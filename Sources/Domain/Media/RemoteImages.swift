internal import Crypto
internal import NIOCore
internal import Synchronization

/// Files that lie on other servers, fetched within limits and kept for a while beside the derivatives made of them.
package struct RemoteImages: Sendable {
    private let fetcher: any Fetcher
    private let derivatives: any DerivativeStore
    private let types: any TypeDetector
    private let limit: Int64
    private let flights = SingleFlight<DerivativeName, StoredDerivative>()
    /// Files that could not be kept.
    private let served: ServedMemory

    /// A file is fetched again after at most so many milliseconds: nobody tells when it changes.
    package static let lifetime: Int64 = 86_400_000

    /// - Parameters:
    ///   - fetcher: Guards whom it connects to.
    ///   - derivatives: The app's cache.
    ///   - types: Looks at bytes of which the other server says nothing.
    ///   - limit: The most bytes of a file (`images.maxSourceSize`).
    package init(fetcher: any Fetcher, derivatives: any DerivativeStore, types: any TypeDetector, limit: Int64) {
        self.fetcher = fetcher
        self.derivatives = derivatives
        self.types = types
        self.limit = limit
        // A few of the largest at least.
        served = ServedMemory(limit: max(64 << 20, Int(clamping: limit)))
    }

    /// The file behind a record's URL as the source of derivatives, fetched now unless it is kept.
    ///
    /// - Parameter url: The address in a record.
    /// - Returns: The source, and the same bytes as they are served.
    /// - Throws: What ``Fetcher/fetch(_:into:)`` throws; ``ServiceError/Code/imageTooLarge`` if the file is too large,
    ///   ``ServiceError/Code/overloaded`` if too many that cannot be kept are being read.
    package func origin(of url: RemoteURL) async throws -> (ImageOrigin, StoredDerivative) {
        let digest = SHA256.hash(data: Array(url.description.utf8))
        let address = digest.hexadecimal
        // Each address has days that begin at its own hour, or all files would be fetched again at once.
        let hour = digest.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) } % 24 * (RemoteImages.lifetime / 24)
        let day = (Timestamp.now().milliseconds + hour) / RemoteImages.lifetime
        // By address, not by record: however many records name one file, it is fetched once.
        let name = DerivativeName(source: "url:\(address)", request: "source/\(day)")
        let file =
            if let kept = try? await derivatives.open(name) { kept } else { try await fetch(url, as: name) }
        let origin = ImageOrigin(
            source: name.source,
            version: file.tag,
            size: file.blob.size,
            mediaType: file.mediaType,
            open: { file.blob }
        )
        return (origin, file)
    }

    private func fetch(_ url: RemoteURL, as name: DerivativeName) async throws -> StoredDerivative {
        try await flights.value(for: name) {
            let collected = Mutex(ByteBuffer())
            let head = try await fetcher.fetch(url) { [limit] piece in
                try collected.withLock { bytes in
                    guard Int64(bytes.readableBytes + piece.readableBytes) <= limit else {
                        throw ServiceError(
                            .imageTooLarge,
                            "The file has more than \(limit) bytes, which is the limit (images.maxSourceSize)."
                        )
                    }
                    bytes.writeImmutableBuffer(piece)
                }
            }
            let bytes = collected.withLock { $0 }
            let type = try await type(of: bytes, head.mediaType)
            // From the disk if it can be: those who read it slowly must not hold it in memory.
            try? await derivatives.store(bytes, as: type, under: name)
            if let kept = try? await derivatives.open(name) { return kept }
            guard let fresh = StoredDerivative(bytes, as: type, in: served) else {
                throw ServiceError(.overloaded, "Too many files are being sent; try again in a second.")
            }
            return fresh
        }
    }

    private func type(of bytes: ByteBuffer, _ said: MediaType?) async throws -> MediaType {
        if let said, said != .octetStream { return said }
        let start = bytes.getSlice(at: bytes.readerIndex, length: min(bytes.readableBytes, 65_536)) ?? bytes
        return try await types.type(of: start) ?? .octetStream
    }
}
