internal import Crypto
internal import Domain
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Collects an upload's bytes into large pieces; each is written and hashed on the pool while the next is collected.
///
/// Writing and the two digests are three jobs at once, because a digest without special instructions is slower than a
/// disk. Memory is at most two pieces an upload, however large the file and however small what the client sends.
final class DiskStagedBlob: StagedBlob {
    private let pool: NIOThreadPool
    private let eventLoop: any EventLoop
    private let layout: BlobLayout
    /// Each used by one job at a time, so nobody ever waits for these locks.
    private let file: Mutex<StagedFile>
    private let md5 = Mutex(Insecure.MD5())
    private let sha256 = Mutex(SHA256())
    private let incoming = Mutex(Incoming())

    private struct Incoming {
        var buffer = ByteBuffer()
        var running: EventLoopFuture<Void>?
        var committed = false
    }

    /// How many bytes are collected before they are written.
    static let pieceSize = 1 << 20

    init(path: String, layout: BlobLayout, pool: NIOThreadPool, eventLoop: any EventLoop) throws {
        self.pool = pool
        self.eventLoop = eventLoop
        self.layout = layout
        file = Mutex(try StagedFile(path: path))
    }

    func append(_ bytes: ByteBuffer) async throws {
        let full: ByteBuffer? = incoming.withLock { incoming in
            incoming.buffer.writeImmutableBuffer(bytes)
            guard incoming.buffer.readableBytes >= DiskStagedBlob.pieceSize else { return nil }
            defer { incoming.buffer = ByteBuffer() }
            return incoming.buffer
        }
        if let full { try await take(full) }
    }

    func finish() async throws -> StagedFacts {
        let rest = incoming.withLock { incoming in
            defer { incoming.buffer = ByteBuffer() }
            return incoming.buffer
        }
        if rest.readableBytes > 0 { try await take(rest) }
        try await running()?.get()
        let (size, head) = file.withLock { ($0.size, $0.head) }
        let facts = BlobFacts(
            size: size,
            md5: md5.withLock { $0.finalize() }.hexadecimal,
            sha256: sha256.withLock { $0.finalize() }.hexadecimal
        )
        return StagedFacts(blob: facts, head: head)
    }

    func commit(as key: FileKey) async throws {
        let path = layout.path(of: key)
        try await pool.runIfActive {
            try self.file.withLock { try $0.commit(to: path, in: self.layout) }
        }
        incoming.withLock { $0.committed = true }
    }

    func discard() async {
        guard !incoming.withLock(\.committed) else { return }
        // Not on the pool: a cancelled task's jobs are dropped there, and a name must go all the same.
        try? await running()?.get()
        file.withLock { $0.remove() }
    }

    /// Begins with a piece once the one before it is done; a failure shows at the next call.
    private func take(_ piece: ByteBuffer) async throws {
        try await running()?.get()
        let jobs: [EventLoopFuture<Void>] = [
            run { try self.file.withLock { try $0.write(piece) } },
            run { self.md5.withLock { md5 in piece.withUnsafeReadableBytes { md5.update(bufferPointer: $0) } } },
            run {
                self.sha256.withLock { sha256 in piece.withUnsafeReadableBytes { sha256.update(bufferPointer: $0) } }
            },
        ]
        // All of them end before the next piece or the removal begins, whichever fails.
        let all = EventLoopFuture.whenAllComplete(jobs, on: eventLoop).flatMapThrowing { results in
            for result in results { try result.get() }
        }
        incoming.withLock { $0.running = all }
    }

    private func run(_ job: @escaping @Sendable () throws -> Void) -> EventLoopFuture<Void> {
        pool.runIfActive(eventLoop: eventLoop, job)
    }

    private func running() -> EventLoopFuture<Void>? {
        incoming.withLock { $0.running }
    }
}
