internal import CLinux
internal import Domain
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Collects bytes into large pieces; each is written and hashed on the pool while the next is collected.
///
/// The only piece of a small draft stays in memory.
///
/// Writing and each digest are separate jobs, because a digest can be slower than a disk. Memory is at most two pieces,
/// for any number and size of buffers.
final class DiskBlobWriter: BlobWriter {
    private let blob: DiskStagedBlob
    private let eventLoop: any EventLoop
    private let digests: [DigestKind: RunningDigest]
    private let incoming: Mutex<Incoming>

    private struct Incoming {
        var piece = Piece()
        var running: EventLoopFuture<Void>?
        var position: Int64
        var flushed: Int64
        /// The offset of the first byte that no ``finish()`` has covered.
        var unfinished: Int64
    }

    /// The number of bytes that are collected before they are written.
    private static let pieceSize = 1 << 20
    /// Smaller pieces are written and hashed by one job, because waking more threads would take longer.
    private static let smallSize = DraftPlaces.draftSize
    /// The number of bytes after which the kernel is asked to begin writing, so that the final sync is short.
    private static let flushInterval: Int64 = 8 << 20

    init(_ blob: DiskStagedBlob, at offset: Int64, digesting digests: Set<DigestKind>) {
        self.blob = blob
        eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        self.digests = Dictionary(uniqueKeysWithValues: digests.map { ($0, RunningDigest($0)) })
        incoming = Mutex(Incoming(position: offset, flushed: offset, unfinished: offset))
    }

    func append(_ bytes: ByteBuffer) async throws {
        let isFull = incoming.withLock { incoming in
            incoming.piece.append(bytes)
            return incoming.piece.size >= DiskBlobWriter.pieceSize
        }
        if isFull { try await takePiece() }
    }

    func finish() async throws -> [DigestKind: [UInt8]] {
        if !holdsPiece() {
            try await takePiece()
            try await incoming.withLock(\.running)?.get()
        }
        incoming.withLock { $0.unfinished = $0.position }
        return digests.mapValues(\.value)
    }

    /// Leaves the bytes of a small draft in memory until its commit, and hashes them on the calling thread, which takes
    /// less time than a switch to another one and back.
    ///
    /// - Returns: `false` if the bytes must go to a file.
    private func holdsPiece() -> Bool {
        let held = incoming.withLock { incoming -> Piece? in
            guard incoming.position == 0, incoming.piece.size <= DraftPlaces.draftSize, !blob.content.isOnDisk else {
                return nil
            }
            let piece = incoming.piece.compact
            guard blob.content.hold(piece.buffers) else { return nil }
            incoming.position = Int64(piece.size)
            incoming.piece = Piece()
            return piece
        }
        guard let held else { return false }
        blob.note(held.buffers, at: 0)
        blob.hashes.update(held.buffers, at: 0)
        if blob.md5.wants(held.size, at: 0) { blob.md5.update(held.buffers, at: 0) }
        for digest in digests.values { digest.update(held.buffers) }
        return true
    }

    func settle() async {
        let running = incoming.withLock { incoming in
            incoming.piece = Piece()
            return incoming.running
        }
        // Started jobs of the pool run to their end, even if no task waits for them.
        try? await running?.get()
    }

    /// Starts the collected piece after the previous one is written; a failure is thrown by the next call.
    private func takePiece() async throws {
        try await incoming.withLock(\.running)?.get()
        let (piece, position) = incoming.withLock { incoming in
            defer {
                incoming.position += Int64(incoming.piece.size)
                incoming.piece = Piece()
            }
            return (incoming.piece, incoming.position)
        }
        guard piece.size > 0 else { return }
        var jobs: [@Sendable () throws -> Void] = [
            { [blob] in
                let end = position + Int64(piece.size)
                try blob.content.write { file in
                    do {
                        try blob.pool.health.requireSpace()
                        try file.write(piece.buffers, at: position)
                    } catch {
                        self.release(upTo: end, in: file, after: error)
                        throw error
                    }
                    blob.note(piece.buffers, at: position)
                    self.flush(file, upTo: end)
                }
            },
            { [blob] in blob.hashes.update(piece.buffers, at: position) },
        ]
        if blob.md5.wants(piece.size, at: position) {
            jobs.append { [blob] in blob.md5.update(piece.buffers, at: position) }
        }
        for digest in digests.values { jobs.append { digest.update(piece.buffers) } }
        if piece.size < DiskBlobWriter.smallSize {
            jobs = [{ [jobs] in for job in jobs { try job() } }]
        }
        // All jobs end before the next piece begins, even if one fails.
        let all = EventLoopFuture.whenAllComplete(jobs.map(run), on: eventLoop).flatMapThrowing { results in
            for result in results { try result.get() }
        }
        incoming.withLock { $0.running = all }
    }

    private func flush(_ file: OpenFile, upTo position: Int64) {
        let start = incoming.withLock { incoming -> Int64? in
            guard position - incoming.flushed >= DiskBlobWriter.flushInterval else { return nil }
            defer { incoming.flushed = position }
            return incoming.flushed
        }
        // Only a hint: durability depends on the final sync, so the result is ignored.
        if let start { _ = clinux_begin_writeback(file.descriptor.raw, start, position - start) }
    }

    /// Frees the space of bytes after a failure: a client that continues the upload sends them again.
    private func release(upTo end: Int64, in file: OpenFile, after error: any Error) {
        guard StorageFault(error) == .full else { return }
        let start = incoming.withLock(\.unfinished)
        // File systems without holes free it when the upload ends.
        _ = clinux_make_hole(file.descriptor.raw, start, end - start)
    }

    private func run(_ job: @escaping @Sendable () throws -> Void) -> EventLoopFuture<Void> {
        blob.pool.runIfActive(eventLoop: eventLoop, job)
    }
}

/// A list of buffers for one write.
///
/// Large buffers are used as they are; small ones are copied together, so that none retains much unused memory.
private struct Piece: Sendable {
    private(set) var buffers: [ByteBuffer] = []
    private(set) var size = 0
    private var lastIsOwn = false

    /// The same bytes without much unused memory: a buffer is often a part of a larger one of the connection.
    var compact: Piece {
        guard buffers.reduce(0, { $0 + $1.storageCapacity }) > 2 * size else { return self }
        var copy = ByteBufferAllocator().buffer(capacity: size)
        for buffer in buffers { copy.writeImmutableBuffer(buffer) }
        return Piece(buffers: [copy], size: size, lastIsOwn: true)
    }

    mutating func append(_ bytes: ByteBuffer) {
        size += bytes.readableBytes
        if bytes.readableBytes >= 16 << 10 {
            buffers.append(bytes)
            lastIsOwn = false
        } else if lastIsOwn {
            buffers[buffers.count - 1].writeImmutableBuffer(bytes)
        } else {
            var copy = ByteBufferAllocator().buffer(capacity: 16 << 10)
            copy.writeImmutableBuffer(bytes)
            buffers.append(copy)
            lastIsOwn = true
        }
    }
}
