internal import Synchronization

/// A number of permits, handed to those who wait for them in rounds: one to each key that waits, so that a key with many
/// requests delays the others by one of them at most.
///
/// May be used from any task.
final class FairPermits<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var free: Int
        var lastNumber = 0
        var waiting: [Key: [Waiter]] = [:]
        /// The keys that wait, in the order in which they get permits.
        var round: [Key] = []
        /// Requests that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private enum Outcome {
        case granted
        case waits
        case cancelled
    }

    private let count: Int
    private let state: Mutex<State>

    init(_ count: Int) {
        self.count = count
        state = Mutex(State(free: count))
    }

    /// How many permits are held.
    var takenCount: Int { state.withLock { count - $0.free } }

    /// How many requests wait; for tests.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Takes a permit if one is free and no request waits for it.
    func takeFree() -> Bool {
        state.withLock { state in
            guard state.free > 0, state.round.isEmpty else { return false }
            state.free -= 1
            return true
        }
    }

    /// Waits for a permit; throws `CancellationError` if the task is cancelled before it comes.
    func take(for key: Key) async throws {
        if takeFree() { return }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch join(Waiter(number: number, continuation: continuation), key) {
                case .granted: continuation.resume()
                case .waits: break
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            leave(number, key)
        }
    }

    /// Gives a permit back: to the next key of the round, if any waits.
    func giveBack() {
        let next = state.withLock { state -> Waiter? in
            guard let key = state.round.first, let waiter = state.waiting[key]?.first else {
                state.free += 1
                return nil
            }
            state.round.removeFirst()
            state.waiting[key]?.removeFirst()
            if state.waiting[key]?.isEmpty == true { state.waiting[key] = nil } else { state.round.append(key) }
            return waiter
        }
        next?.continuation.resume()
    }

    private func join(_ waiter: Waiter, _ key: Key) -> Outcome {
        state.withLock { state in
            if state.cancelled.contains(waiter.number) { return .cancelled }
            if state.free > 0, state.round.isEmpty {
                state.free -= 1
                return .granted
            }
            if state.waiting[key] == nil { state.round.append(key) }
            state.waiting[key, default: []].append(waiter)
            return .waits
        }
    }

    private func leave(_ number: Int, _ key: Key) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting[key]?.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            let waiter = state.waiting[key]?.remove(at: index)
            if state.waiting[key]?.isEmpty == true {
                state.waiting[key] = nil
                state.round.removeAll { $0 == key }
            }
            return waiter
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }
}
