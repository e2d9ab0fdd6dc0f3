internal import Dispatch
internal import NIOCore
internal import Synchronization

/// Hands pieces from the thread of a transfer to the task that takes them, one after the other.
///
/// The thread waits until its piece is taken, so at most one piece is in memory and libcurl reads no further; the
/// sender then feels TCP's own pressure.
///
/// It cannot wait for ever. It waits in ``give(_:)`` alone, for the semaphore, which ``drain(into:)`` signals after
/// each piece and, whatever ends it (the last piece, an error of the taker, the task's cancellation), once more at its
/// end; and after that ``give(_:)`` does not wait again. The draining task in turn waits for nothing that this thread
/// holds: it runs on the caller's executor, and the thread is one of a pool that runs transfers only, so that no task,
/// and no work of the taker, ever needs it. What is left is a taker that never returns, which holds back its own fetch
/// and one thread; it is a promise of the port that it waits for no other fetch.
final class PieceChannel: Sendable {
    private let pieces: AsyncStream<ByteBuffer>
    private let source: AsyncStream<ByteBuffer>.Continuation
    private let taken = DispatchSemaphore(value: 0)
    private let stopped = Atomic<Bool>(false)

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        pieces = stream
        source = continuation
    }

    /// Whether nothing will be taken any more, so that the transfer is to end.
    var isStopped: Bool {
        stopped.load(ordering: .acquiring)
    }

    /// Returns once the piece is taken, or with `false` if the transfer is to end; for the transfer's thread alone.
    func give(_ piece: ByteBuffer) -> Bool {
        guard !isStopped else { return false }
        source.yield(piece)
        taken.wait()
        return !isStopped
    }

    /// Says that no piece will follow.
    func finish() {
        source.finish()
    }

    /// Takes pieces until the last, and stops the transfer if that is not where it ends.
    ///
    /// Returns normally when the task is cancelled: the transfer then tells what became of it.
    func drain(into take: @Sendable (ByteBuffer) async throws -> Void) async throws {
        defer {
            // In this order: the thread looks again when it is woken.
            stopped.store(true, ordering: .releasing)
            taken.signal()
        }
        for await piece in pieces {
            try await take(piece)
            taken.signal()
        }
    }
}
