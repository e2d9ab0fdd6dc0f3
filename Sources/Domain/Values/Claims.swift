internal import Synchronization

/// Exclusive claims on keys: a key has one holder at a time, and other tasks wait in order.
///
/// Usable from any task. Waiting does not end when the task is cancelled, so holders must be brief.
package final class Claims<Key: Hashable & Sendable>: Sendable {
    /// The claimed keys, each with the tasks that wait for it, in order.
    private let state = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Creates a value without claims.
    package init() {}

    /// Runs a body while no other task holds the key.
    package func holding<Result>(_ key: Key, _ body: () async throws -> Result) async rethrows -> Result {
        await claim(key)
        defer { release(key) }
        return try await body()
    }

    /// Runs a body while no other task holds any of the keys.
    ///
    /// The keys must be different, and in an order that all callers share; otherwise two callers could deadlock.
    package func holding<Result>(all keys: [Key], _ body: () async throws -> Result) async rethrows -> Result {
        for key in keys { await claim(key) }
        defer { for key in keys { release(key) } }
        return try await body()
    }

    private func claim(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { claims in
                guard claims[key] != nil else {
                    claims[key] = []
                    return true
                }
                claims[key]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func release(_ key: Key) {
        let next: CheckedContinuation<Void, Never>? = state.withLock { claims in
            guard var waiting = claims[key], !waiting.isEmpty else {
                claims[key] = nil
                return nil
            }
            let next = waiting.removeFirst()
            claims[key] = waiting
            return next
        }
        // The claim passes directly to the next task, without being free in between.
        next?.resume()
    }
}
