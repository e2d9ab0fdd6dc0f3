internal import Synchronization

/// A number of permits that waiting requests get in turn: one for each waiting key, so that a key with many requests
/// delays the others by one of them at most.
///
/// As many requests as a limit says wait. When all of them do, a new one takes the slot of the request that came last
/// of the key with most, unless its own key has as many: so no key excludes the others, and a single key can have all
/// slots. May be used from any task.
package final class FairPermits<Key: Hashable & Sendable>: Sendable {
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
        /// How many waiting requests count in the limit.
        var counted = 0
        /// Requests that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private enum Outcome {
        case granted
        case waits(instead: Waiter?)
        case refused(any Error)
    }

    private let maxWaiting: Int
    private let exempt: Key?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: How many permits there are.
    ///   - maxWaiting: How many requests may wait.
    ///   - exempt: The key whose requests can always wait, and do not count in the limit.
    package init(_ count: Int, maxWaiting: Int = .max, exempt: Key? = nil) {
        state = Mutex(State(free: count))
        self.maxWaiting = maxWaiting
        self.exempt = exempt
    }

    /// How many requests wait; for tests.
    package var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// How many permits no request holds.
    package var freeCount: Int { state.withLock(\.free) }

    /// Takes a permit if one is free and no request waits for it.
    package func takeFree() -> Bool {
        state.withLock { state in
            guard state.free > 0, state.round.isEmpty else { return false }
            state.free -= 1
            return true
        }
    }

    /// Waits for a permit.
    ///
    /// - Throws: ``PermitsRefused``, at once or while it waits; `CancellationError` if the task is cancelled before the
    ///   permit comes.
    package func take(for key: Key) async throws {
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
                case .waits(let displaced): displaced?.continuation.resume(throwing: PermitsRefused())
                case .refused(let error): continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            leave(number, key)
        }
    }

    /// Gives a permit back: to the next key of the round, if any waits.
    package func giveBack() {
        let next = state.withLock { state -> Waiter? in
            guard let key = state.round.first, let waiter = state.waiting[key]?.first else {
                state.free += 1
                return nil
            }
            state.round.removeFirst()
            state.waiting[key]?.removeFirst()
            if key != exempt { state.counted -= 1 }
            if state.waiting[key]?.isEmpty == true { state.waiting[key] = nil } else { state.round.append(key) }
            return waiter
        }
        next?.continuation.resume()
    }

    private func join(_ waiter: Waiter, _ key: Key) -> Outcome {
        state.withLock { state in
            if state.cancelled.contains(waiter.number) { return .refused(CancellationError()) }
            if state.free > 0, state.round.isEmpty {
                state.free -= 1
                return .granted
            }
            var displaced: Waiter?
            if key != exempt {
                if state.counted < maxWaiting {
                    state.counted += 1
                } else {
                    displaced = displace(by: key, in: &state)
                    guard displaced != nil else { return .refused(PermitsRefused()) }
                }
            }
            if state.waiting[key] == nil { state.round.append(key) }
            state.waiting[key, default: []].append(waiter)
            return .waits(instead: displaced)
        }
    }

    /// Takes the last request of the key with most out, if that has at least two more than the key of the new one: with
    /// one more, the two would only change places.
    private func displace(by key: Key, in state: inout State) -> Waiter? {
        let most = state.waiting.filter { $0.key != exempt }.max { $0.value.count < $1.value.count }
        guard let most, most.value.count >= (state.waiting[key]?.count ?? 0) + 2 else { return nil }
        return state.waiting[most.key]?.removeLast()
    }

    private func leave(_ number: Int, _ key: Key) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting[key]?.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            let waiter = state.waiting[key]?.remove(at: index)
            if key != exempt { state.counted -= 1 }
            if state.waiting[key]?.isEmpty == true {
                state.waiting[key] = nil
                state.round.removeAll { $0 == key }
            }
            return waiter
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }
}

/// As many requests wait for permits as may, and other keys have fewer of them than this request's.
package struct PermitsRefused: Error {}
