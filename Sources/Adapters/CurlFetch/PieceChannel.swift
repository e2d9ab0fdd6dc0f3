internal import Dispatch
internal import NIOCore
internal import Synchronization

/// Passes pieces one by one from the thread of a transfer to the task that consumes them.
///
/// The thread waits until its piece is consumed. So at most one piece is in memory, libcurl reads no further, and TCP
/// flow control slows the sender.
///
/// A deadlock is not possible. The thread waits only in ``give(_:)``, for the semaphore. ``drain(into:)`` signals it
/// after each piece, and once more at its end, for every reason: the last piece, an error of the consumer, or the
/// task's cancellation. After that ``give(_:)`` does not wait. The draining task does not wait for anything that the
/// thread holds: it runs on the caller's executor, and the thread belongs to a pool that runs only transfers. A
/// consumer that never returns blocks its own fetch and one thread; the port requires that consumers do not wait for
/// another fetch.
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

    /// Whether the consumer has stopped, so that the transfer must end.
    var isStopped: Bool {
        stopped.load(ordering: .acquiring)
    }

    /// Waits until the piece is consumed; returns `false` if the transfer must end.
    ///
    /// Called by the transfer's thread only.
    func give(_ piece: ByteBuffer) -> Bool {
        guard !isStopped else { return false }
        source.yield(piece)
        taken.wait()
        return !isStopped
    }

    /// Marks the end of the pieces.
    func finish() {
        source.finish()
    }

    /// Consumes pieces until the last one, and stops the transfer if the consumer ends earlier.
    ///
    /// Returns normally when the task is cancelled; the transfer then reports its result.
    func drain(into take: @Sendable (ByteBuffer) async throws -> Void) async throws {
        defer {
            // The order matters: the thread checks the flag again when it wakes.
            stopped.store(true, ordering: .releasing)
            taken.signal()
        }
        for await piece in pieces {
            try await take(piece)
            taken.signal()
        }
    }
}
