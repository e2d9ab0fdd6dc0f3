internal import Synchronization

/// The tasks of the direct requests of a connection, which begin on its event loop.
///
/// The task of the connection cancels them with itself, and ends after them, so that no request is processed when the
/// server has stopped. Thread-safe.
final class DirectTasks: Sendable {
    /// Set when a task waits for these ones.
    private let hasOwner = Atomic(false)

    private struct State {
        /// `nil` while the task begins.
        var running: [Int: Task<Void, Never>?] = [:]
        var number = 0
        var isCancelled = false
        /// Waits for the end of the last one.
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether a task of the connection waits for the end of these ones.
    var isOpen: Bool { hasOwner.load(ordering: .relaxed) }

    /// Permits tasks; the caller must call ``finish()`` later.
    func open() {
        hasOwner.store(true, ordering: .relaxed)
    }

    /// Runs a body in a task of its own, on the current thread until it first waits for something.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        let number = state.withLock { state in
            state.number += 1
            state.running[state.number] = .some(nil)
            return state.number
        }
        let task = Task.immediate {
            await body()
            end(number)
        }
        let isCancelled = state.withLock { state in
            if state.running[number] != nil { state.running[number] = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func end(_ number: Int) {
        let waiting = state.withLock { state in
            state.running[number] = nil
            return state.running.isEmpty ? state.waiting.take() : nil
        }
        waiting?.resume()
    }

    /// Cancels all tasks, and each that begins later.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.running.values.compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }

    /// Returns when no task runs; called once, after the end of the connection.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.running.isEmpty { state.waiting = continuation }
                return state.running.isEmpty
            }
            if isFinished { continuation.resume() }
        }
    }
}
