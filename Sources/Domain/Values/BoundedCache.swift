internal import Synchronization

/// A thread-safe cache that retains the most recently used values, up to a bound.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var entries: RecentEntries<Key, Value>
        /// Counts removals, so that a value that was read before a removal is not cached after it.
        var epoch = 0
    }

    private let state: Mutex<State>
    /// The uses of the cache so far.
    package let counts = CacheCounts()

    /// - Parameter bound: The maximum number of values; 0 disables the cache.
    package init(bound: Int) {
        state = Mutex(State(entries: RecentEntries(bound: bound)))
    }

    /// The cached value; otherwise the loaded one, which is cached unless it is `nil`.
    ///
    /// Loads run without the lock, in parallel also for one key. A value that was removed during its load is returned,
    /// but not cached.
    package func value(for key: Key, loading load: () async throws -> Value?) async rethrows -> Value? {
        let (kept, epoch) = state.withLock { ($0.entries.value(for: key), $0.epoch) }
        counts.count(isHit: kept != nil)
        if let kept { return kept }
        guard let value = try await load() else { return nil }
        state.withLock { state in
            if state.epoch == epoch { state.entries.store(value, for: key) }
        }
        return value
    }

    /// Removes a value; later calls load it again.
    package func remove(_ key: Key) {
        state.withLock { state in
            state.epoch += 1
            state.entries.remove(key)
        }
    }

    /// Removes all values; later calls load them again.
    package func removeAll() {
        state.withLock { state in
            state.epoch += 1
            state.entries.removeAll()
        }
    }
}
