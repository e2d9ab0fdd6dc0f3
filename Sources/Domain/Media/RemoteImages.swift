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

    /// After so many milliseconds a file is fetched again: nobody tells when it changes.
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
    }

    /// The file behind a record's URL as the source of derivatives, fetched now unless it is kept.
    ///
    /// - Parameter url: The address in a record.
    /// - Returns: The source, and the same bytes as they are served.
    /// - Throws: What ``Fetcher/fetch(_:into:)`` throws; ``ServiceError/Code/imageTooLarge`` if the file is too large.
    package func origin(of url: RemoteURL) async throws -> (ImageOrigin, StoredDerivative) {
        let address = SHA256.hash(data: Array(url.description.utf8)).hexadecimal
        let day = Timestamp.now().milliseconds / RemoteImages.lifetime
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
            let said = head.mediaType ?? .octetStream
            guard said == .octetStream else { return StoredDerivative(bytes, as: said) }
            let start = bytes.getSlice(at: bytes.readerIndex, length: min(bytes.readableBytes, 65_536)) ?? bytes
            return StoredDerivative(bytes, as: try await types.type(of: start) ?? said)
        } afterwards: { file in
            let bytes = try? await file.blob.read(at: 0, count: Int(file.blob.size))
            if let bytes { try? await derivatives.store(bytes, as: file.mediaType, under: name) }
        }
    }
}
