internal import Synchronization

/// The writes of a ``MemoryObjectStore`` that have begun and not ended.
final class RunningWrites: Sendable {
    private struct State {
        var last = 0
        var running: Set<Int> = []
        var waiters: [(writes: Set<Int>, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Begins a write; returns its number.
    func begin() -> Int {
        state.withLock { state in
            state.last += 1
            state.running.insert(state.last)
            return state.last
        }
    }

    /// Ends a write.
    func end(_ number: Int) {
        let done = state.withLock { state in
            state.running.remove(number)
            for index in state.waiters.indices { state.waiters[index].writes.remove(number) }
            let done = state.waiters.filter { $0.writes.isEmpty }
            state.waiters.removeAll { $0.writes.isEmpty }
            return done.map { $0.continuation }
        }
        for continuation in done { continuation.resume() }
    }

    /// Returns when the writes that run now have ended.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard !state.running.isEmpty else { return true }
                state.waiters.append((state.running, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
