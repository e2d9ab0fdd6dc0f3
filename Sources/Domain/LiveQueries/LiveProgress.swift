internal import Synchronization

/// The limits of the buffer between writers and the events of live queries.
struct ChangeBufferLimits: Sendable {
    /// The maximum number of changes.
    var count = 10_000
    /// The maximum size of their states in bytes: all that one transaction records of the app's classes.
    var size = TransactionChanges.maxSize
}

/// The position up to which changes have caused their events.
final class LiveProgress: Sendable {
    private struct State {
        var position = 0
        var waiters: [(position: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Records that all changes before a position are done.
    func reach(_ position: Int) {
        let done = state.withLock { state in
            state.position = max(state.position, position)
            let done = state.waiters.filter { $0.position <= position }
            state.waiters.removeAll { $0.position <= position }
            return done
        }
        for waiter in done { waiter.continuation.resume() }
    }

    /// Returns when the position is reached.
    func wait(for position: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.position < position else { return true }
                state.waiters.append((position, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}
