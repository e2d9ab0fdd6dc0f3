internal import Synchronization

/// Whether a transaction of this server records its changes, for those who wait for its end; thread-safe.
///
/// The changes of other servers need no wait: they are compared with the filters of the change feed when they arrive from
/// the log (``ChangeRelay``).
final class RunningTransaction: Sendable {
    private let state = Mutex((isRunning: false, waiting: [CheckedContinuation<Void, Never>]()))

    /// Records that a transaction begins to record its changes; not while another one does.
    func begin() { state.withLock { $0.isRunning = true } }

    /// Records that the transaction has ended and that its changes, if it was committed, are published.
    func end() {
        let waiting = state.withLock { state in
            defer { state = (false, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the transaction that records its changes has ended; at once if there is none.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isRunning = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                return state.isRunning
            }
            if !isRunning { continuation.resume() }
        }
    }
}
