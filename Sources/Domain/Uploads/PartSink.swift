package import NIOCore
internal import Synchronization

/// Writes the bytes of one part while its request sends them.
package final class PartSink: Sendable {
    /// `nil` if no bytes are accepted.
    private let writer: (any BlobWriter)?
    private let capacity: Int64
    private let refusal: ServiceError
    private let onBytes: @Sendable (Int64) -> Void
    /// Called every ``checkpoint`` bytes; `nil` if there are no checkpoints.
    private let store: (@Sendable (Int64) async throws -> Void)?
    private let counted = Mutex<(received: Int64, stored: Int64)>((0, 0))

    /// The number of bytes after which received bytes are stored, so that a crash loses no more.
    static let checkpoint: Int64 = 16 << 20

    init(
        _ writer: any BlobWriter,
        capacity: Int64,
        refusal: ServiceError,
        store: (@Sendable (Int64) async throws -> Void)? = nil,
        onBytes: @escaping @Sendable (Int64) -> Void
    ) {
        self.writer = writer
        self.capacity = capacity
        self.refusal = refusal
        self.store = store
        self.onBytes = onBytes
    }

    /// Creates a sink for a request that must have no bytes.
    init(refusal: ServiceError) {
        writer = nil
        capacity = 0
        self.refusal = refusal
        store = nil
        onBytes = { _ in }
    }

    /// The number of received bytes.
    package var received: Int64 { counted.withLock(\.received) }

    /// Adds bytes; throws ``ServiceError/Code/payloadTooLarge`` if they exceed the maximum.
    package func append(_ bytes: ByteBuffer) async throws {
        let (received, stored) = counted.withLock { counted in
            counted.received += Int64(bytes.readableBytes)
            return counted
        }
        guard received <= capacity else { throw refusal }
        try await writer?.append(bytes)
        onBytes(Int64(bytes.readableBytes))
        guard let store, received - stored >= PartSink.checkpoint else { return }
        _ = try await writer?.finish()
        try await store(received)
        counted.withLock { $0.stored = received }
    }
}
