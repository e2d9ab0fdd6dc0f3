internal import CLinux
internal import Domain
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Collects bytes into large pieces; each is written and hashed on the pool while the next is collected.
///
/// Writing and each digest are jobs of their own, because a digest may be slower than a disk. Memory is at most two
/// pieces, however much comes and in however small pieces.
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
        /// Where the bytes begin that no ``finish()`` has seen.
        var unfinished: Int64
    }

    /// How many bytes are collected before they are written.
    private static let pieceSize = 1 << 20
    /// Pieces below it are written and hashed by one job: to wake more threads would take longer.
    private static let smallSize = 256 << 10
    /// After how many bytes the kernel is asked to begin writing, so that the final sync finds little left to do.
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
        try await takePiece()
        try await incoming.withLock(\.running)?.get()
        incoming.withLock { $0.unfinished = $0.position }
        return digests.mapValues(\.value)
    }

    func settle() async {
        let running = incoming.withLock { incoming in
            incoming.piece = Piece()
            return incoming.running
        }
        // Jobs of the pool that have started end by themselves, even if no task waits for them.
        try? await running?.get()
    }

    /// Begins with what was collected once the piece before it is done; a failure shows at the next call.
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
                var offset = position
                do {
                    try blob.pool.health.requireSpace()
                    for buffer in piece.buffers {
                        try buffer.withUnsafeReadableBytes { try blob.file.write($0, at: offset) }
                        offset += Int64(buffer.readableBytes)
                    }
                } catch {
                    self.release(upTo: position + Int64(piece.size), after: error)
                    throw error
                }
                blob.note(piece.buffers, at: position)
                self.flush(upTo: offset)
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
        // All of them end before the next piece begins, whichever fails.
        let all = EventLoopFuture.whenAllComplete(jobs.map(run), on: eventLoop).flatMapThrowing { results in
            for result in results { try result.get() }
        }
        incoming.withLock { $0.running = all }
    }

    private func flush(upTo position: Int64) {
        let start = incoming.withLock { incoming -> Int64? in
            guard position - incoming.flushed >= DiskBlobWriter.flushInterval else { return nil }
            defer { incoming.flushed = position }
            return incoming.flushed
        }
        // Only advice: the sync at the end is what counts, so a refusal is of no interest.
        if let start { _ = clinux_begin_writeback(blob.file.raw, start, position - start) }
    }

    /// Gives the space back that no client will ask for again: an upload that goes on sends the bytes once more.
    private func release(upTo end: Int64, after error: any Error) {
        guard StorageFault(error) == .full else { return }
        let start = incoming.withLock(\.unfinished)
        // File systems without holes keep it until the upload ends.
        _ = clinux_make_hole(blob.file.raw, start, end - start)
    }

    private func run(_ job: @escaping @Sendable () throws -> Void) -> EventLoopFuture<Void> {
        blob.pool.runIfActive(eventLoop: eventLoop, job)
    }
}

/// Bytes that belong together, as they came: large buffers as they are, small ones copied behind each other, so that no
/// byte keeps much more than itself in memory.
private struct Piece: Sendable {
    private(set) var buffers: [ByteBuffer] = []
    private(set) var size = 0
    private var lastIsOwn = false

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
