internal import Synchronization

/// A number of permits that keys with waiting requests get in turn, so that a key with many requests delays each other
/// key by one of them at most.
///
/// The number of waiting requests is limited. At the limit, a new request displaces the latest request of the key with
/// the most, if that key has at least two more than the new request's key. So no key excludes the others, and a single
/// key can use all slots. Usable from any task.
package final class FairPermits<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var free: Int
        var lastNumber = 0
        var waiting: [Key: [Waiter]] = [:]
        /// The keys with waiting requests, in the order in which they get permits.
        var round: [Key] = []
        /// The number of waiting requests that count towards the limit.
        var counted = 0
        /// Requests that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private enum Outcome {
        case granted
        case waits(instead: Waiter?)
        case refused(any Error)
    }

    private let count: Int
    private let maxWaiting: Int
    private let exempt: Key?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: The number of permits.
    ///   - maxWaiting: The maximum number of waiting requests.
    ///   - exempt: The key whose requests can always wait and do not count towards the limit.
    package init(_ count: Int, maxWaiting: Int = .max, exempt: Key? = nil) {
        self.count = count
        state = Mutex(State(free: count))
        self.maxWaiting = maxWaiting
        self.exempt = exempt
    }

    /// The number of waiting requests; for tests.
    package var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Whether a key without requests would be refused now: no permit is free, the queue is at its limit, and no key has
    /// a request that can be displaced.
    package var refusesNewKeys: Bool {
        state.withLock { state in
            state.free == 0 && state.counted >= maxWaiting && (keyWithMost(in: state)?.requests ?? 0) < 2
        }
    }

    /// The permits in use and the waiting requests; those of the exempt key count, and can exceed the limit.
    package var status: QueueStatus {
        state.withLock { state in
            let waiting = state.waiting.values.reduce(0) { $0 + $1.count }
            let limit = maxWaiting == .max ? nil : count + maxWaiting
            return QueueStatus(jobs: count - state.free + waiting, waiting: waiting, limit: limit)
        }
    }

    /// The number of free permits.
    package var freeCount: Int { state.withLock(\.free) }

    /// Takes a permit if one is free and no request waits for it; returns whether it did.
    package func takeFree() -> Bool {
        state.withLock { state in
            guard state.free > 0, state.round.isEmpty else { return false }
            state.free -= 1
            return true
        }
    }

    /// Waits for a permit.
    ///
    /// - Throws: ``PermitsRefused``, at once or while it waits; `CancellationError` if the task is cancelled before it
    ///   gets a permit.
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

    /// Returns a permit, which the next waiting key gets.
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

    /// Removes the latest request of the key with the most requests, if that key has at least two more than the new
    /// request's key.
    ///
    /// With a difference of one, the two keys would only exchange their positions.
    private func displace(by key: Key, in state: inout State) -> Waiter? {
        let own = state.waiting[key]?.count ?? 0
        guard let most = keyWithMost(in: state), most.requests >= own + 2 else { return nil }
        return state.waiting[most.key]?.removeLast()
    }

    private func keyWithMost(in state: State) -> (key: Key, requests: Int)? {
        let most = state.waiting.filter { $0.key != exempt }.max { $0.value.count < $1.value.count }
        return most.map { ($0.key, $0.value.count) }
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

/// The maximum number of requests waits for permits, and no other key has enough of them to be displaced.
package struct PermitsRefused: Error {}
