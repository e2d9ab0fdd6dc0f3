internal import Domain
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Collects an upload's bytes into large writes, each hashed and written on the pool while the next one is collected.
///
/// Memory is at most two writes an upload, however large the file and however small the pieces that the client sends.
final class DiskStagedBlob: StagedBlob {
    private let pool: NIOThreadPool
    private let eventLoop: any EventLoop
    private let layout: BlobLayout
    /// Used by one job on the pool at a time, so nobody ever waits for this lock.
    private let file: Mutex<StagedFile>
    private let incoming = Mutex(Incoming())

    private struct Incoming {
        var buffer = ByteBuffer()
        var running: EventLoopFuture<Void>?
        var committed = false
    }

    /// How many bytes are collected before they are written.
    static let writeSize = 1 << 20

    init(path: String, layout: BlobLayout, pool: NIOThreadPool, eventLoop: any EventLoop) throws {
        self.pool = pool
        self.eventLoop = eventLoop
        self.layout = layout
        file = Mutex(try StagedFile(path: path))
    }

    func append(_ bytes: ByteBuffer) async throws {
        let full: ByteBuffer? = incoming.withLock { incoming in
            incoming.buffer.writeImmutableBuffer(bytes)
            guard incoming.buffer.readableBytes >= DiskStagedBlob.writeSize else { return nil }
            defer { incoming.buffer = ByteBuffer() }
            return incoming.buffer
        }
        if let full { try await write(full) }
    }

    func finish() async throws -> StagedFacts {
        let rest = incoming.withLock { incoming in
            defer { incoming.buffer = ByteBuffer() }
            return incoming.buffer
        }
        try await runningWrite()?.get()
        return try await pool.runIfActive {
            try self.file.withLock { file in
                if rest.readableBytes > 0 { try file.write(rest) }
                return file.facts()
            }
        }
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
        try? await runningWrite()?.get()
        file.withLock { $0.remove() }
    }

    /// Begins a write after the one before it; its failure shows at the next call.
    private func write(_ bytes: ByteBuffer) async throws {
        try await runningWrite()?.get()
        let write = pool.runIfActive(eventLoop: eventLoop) {
            try self.file.withLock { try $0.write(bytes) }
        }
        incoming.withLock { $0.running = write }
    }

    private func runningWrite() -> EventLoopFuture<Void>? {
        incoming.withLock { $0.running }
    }
}
