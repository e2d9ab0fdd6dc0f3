internal import Domain
internal import NIOCore
internal import NIOPosix
internal import S3
internal import Synchronization

/// Collects bytes into segments; a few are sent and hashed on the pool while the next is collected.
///
/// Segments end at the blocks of ``ContentHash``, so that the digest of each block is known when the file is finished,
/// and are at least as large as a part, so that the store can make the file of them.
final class S3BlobWriter: BlobWriter {
    private let blob: S3StagedBlob
    private let eventLoop: any EventLoop
    /// The number of all segments; `nil` if the bucket decides.
    private let order: Int?
    private let state: Mutex<State>
    private let digests: Mutex<RunningDigests>

    private struct State {
        var buffer = ByteBuffer()
        /// The offset of the first byte of the buffer.
        var position: Int64
        /// The number of the segments; `nil` before the first one.
        var number: Int?
        var puts: [EventLoopFuture<Void>] = []
        /// The end of the digests of the bytes so far, which are computed in their order.
        var hashed: EventLoopFuture<Void>?
    }

    /// The maximum number of segments on their way to the store.
    private static let parallel = 4

    init(_ blob: S3StagedBlob, at offset: Int64, order: Int?, digesting kinds: Set<DigestKind>) {
        self.blob = blob
        self.order = order
        eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        state = Mutex(State(position: offset))
        digests = Mutex(RunningDigests(kinds))
    }

    deinit {
        blob.area.memory.remove(state.withLock(\.buffer.readableBytes))
    }

    func append(_ bytes: ByteBuffer) async throws {
        state.withLock { _ = $0.buffer.writeImmutableBuffer(bytes) }
        blob.area.memory.add(bytes.readableBytes)
        while let count = state.withLock({ due($0) }) { try await put(count) }
    }

    func finish() async throws -> [DigestKind: [UInt8]] {
        let (rest, position, isFirst) = state.withLock { ($0.buffer, $0.position, $0.number == nil && $0.puts.isEmpty) }
        if isFirst, position == 0, blob.hold(rest) {
            state.withLock { state in
                state.buffer = ByteBuffer()
                state.position = Int64(rest.readableBytes)
            }
            hash(rest, at: 0)
        } else if rest.readableBytes > 0 {
            try await put(rest.readableBytes)
        }
        while let running = state.withLock(\.puts.first) {
            try await running.get()
            state.withLock { _ = $0.puts.removeFirst() }
        }
        try await state.withLock(\.hashed)?.get()
        // Bytes that follow were written after those of a writer that began meanwhile.
        state.withLock { state in
            if order == nil, let number = state.number, !blob.isLast(number) { state.number = nil }
        }
        await blob.joinSegments(before: state.withLock(\.position))
        return digests.withLock(\.values)
    }

    func settle() async {
        let running = state.withLock { state in
            blob.area.memory.remove(state.buffer.readableBytes)
            state.buffer = ByteBuffer()
            return state.puts
        }
        // Started jobs of the pool run to their end, even if no task waits for them.
        for put in running { try? await put.get() }
    }

    /// The number of collected bytes that are the next segment; `nil` if there are too few.
    private func due(_ state: borrowing State) -> Int? {
        let count = state.buffer.readableBytes
        let block = ContentHash.blockSize
        let end = (state.position + blob.area.options.segmentSize + block - 1) / block * block
        // What follows must be a part as well.
        if state.position + Int64(count) >= end + S3Client.minPartSize { return Int(end - state.position) }
        return count >= StagingMemory.least && blob.area.memory.isExhausted ? count : nil
    }

    /// Begins to put the first collected bytes; throws the error of an earlier put.
    private func put(_ count: Int) async throws {
        // They were finished before these bytes.
        try await blob.releaseMemory()
        while let oldest = state.withLock({ $0.puts.count >= S3BlobWriter.parallel ? $0.puts.first : nil }) {
            // It stays in the list after a failure, so that each later call throws it.
            try await oldest.get()
            state.withLock { _ = $0.puts.removeFirst() }
        }
        let number =
            if let known = state.withLock(\.number) { known } else { try await blob.nextNumber(order) }
        let (slice, position) = state.withLock { state in
            defer { state.position += Int64(count) }
            state.number = number
            let slice = state.buffer.readSlice(length: count) ?? ByteBuffer()
            state.buffer.discardReadBytes()
            return (slice, state.position)
        }
        hash(slice, at: position)
        let sent = blob.area.bucket.run(on: eventLoop) { [blob] _ in
            defer { blob.area.memory.remove(count) }
            try blob.put(slice, at: position, number: number)
        }
        state.withLock { $0.puts.append(sent) }
    }

    /// Begins to compute the digests of the next bytes.
    private func hash(_ bytes: ByteBuffer, at offset: Int64) {
        let before = state.withLock(\.hashed) ?? eventLoop.makeSucceededVoidFuture()
        let done = before.flatMap { [self] in
            blob.area.bucket.pool.runIfActive(eventLoop: eventLoop) { [self] in
                bytes.withUnsafeReadableBytes { bytes in
                    digests.withLock { $0.update(bytes) }
                    blob.md5.update(bytes, at: offset)
                }
            }
        }
        state.withLock { $0.hashed = done }
    }
}
