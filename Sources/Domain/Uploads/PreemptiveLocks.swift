internal import Synchronization

/// A lock for each key; the newest task gets it by cancelling the task that holds it.
///
/// A client that lost its connection opens another one, long before the server notices that the first is dead. So a new
/// task cancels the previous one, waits until it has ended, and continues.
final class PreemptiveLocks<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var last: [Key: Lock] = [:]
        /// The holder of all locks; it cannot be cancelled.
        var exclusive: Lock?
    }

    private let state = Mutex(State())

    init() {}

    /// Whether no lock is held.
    var areFree: Bool { state.withLock { $0.last.isEmpty && $0.exclusive == nil } }

    /// Runs a body with the lock of the key; a later call cancels the body's task.
    ///
    /// - Throws: Errors of the body; ``ServiceError/Code/superseded`` if a later call cancelled it.
    func withLock<Result: Sendable>(
        of key: Key,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let lock = Lock(canBeStopped: true)
        let before = state.withLock { state in
            let before = [state.last[key], state.exclusive].compactMap(\.self)
            state.last[key] = lock
            return before
        }
        defer {
            state.withLock { if $0.last[key] === lock { $0.last[key] = nil } }
        }
        return try await lock.run(after: before, body)
    }

    /// Runs a body with the locks of all keys; cancels running bodies, and later calls wait.
    func withAllLocks<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let lock = Lock(canBeStopped: false)
        let before = state.withLock { state in
            let before = Array(state.last.values) + [state.exclusive].compactMap(\.self)
            state.exclusive = lock
            return before
        }
        defer {
            state.withLock { if $0.exclusive === lock { $0.exclusive = nil } }
        }
        return try await lock.run(after: before, body)
    }
}

/// A lock that one task holds or waits for.
private final class Lock: Sendable {
    private struct State {
        var task: (@Sendable () -> Void)?
        var isStopped = false
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let canBeStopped: Bool
    private let state = Mutex(State())

    init(canBeStopped: Bool) {
        self.canBeStopped = canBeStopped
    }

    func run<Result: Sendable>(
        after others: [Lock],
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        defer { end() }
        for other in others { other.stop() }
        for other in others { await other.isOver() }
        if state.withLock(\.isStopped) { throw Lock.superseded }
        // A separate task, because only a task can be cancelled from outside.
        let task = Task { try await body() }
        let isLate = state.withLock { state in
            state.task = { task.cancel() }
            return state.isStopped
        }
        if isLate { task.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard state.withLock(\.isStopped) else { throw error }
            throw Lock.superseded
        }
    }

    private static let superseded = ServiceError(.superseded, "A newer connection has taken over this upload.")

    private func stop() {
        guard canBeStopped else { return }
        let cancel = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        cancel?()
    }

    private func isOver() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
