internal import Synchronization

/// Keeps the values that were used last, up to a bound, for any thread.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var entries: RecentEntries<Key, Value>
        /// Counts removals, so that a value read before one is not put back after it.
        var epoch = 0
    }

    private let state: Mutex<State>

    /// - Parameter bound: The maximum number of values; 0: no cache.
    package init(bound: Int) {
        state = Mutex(State(entries: RecentEntries(bound: bound)))
    }

    /// The cached value, or the one that is loaded now and cached if there is one.
    ///
    /// Loads run without the lock, also several for one key; a value that was removed meanwhile is returned, but not
    /// cached.
    package func value(for key: Key, loading load: () async throws -> Value?) async rethrows -> Value? {
        let (kept, epoch) = state.withLock { ($0.entries.value(for: key), $0.epoch) }
        if let kept { return kept }
        guard let value = try await load() else { return nil }
        state.withLock { state in
            if state.epoch == epoch { state.entries.store(value, for: key) }
        }
        return value
    }

    /// Forgets a value; calls that begin afterwards load it anew.
    package func remove(_ key: Key) {
        state.withLock { state in
            state.epoch += 1
            state.entries.remove(key)
        }
    }

    /// Forgets all values; calls that begin afterwards load them anew.
    package func removeAll() {
        state.withLock { state in
            state.epoch += 1
            state.entries.removeAll()
        }
    }
}
