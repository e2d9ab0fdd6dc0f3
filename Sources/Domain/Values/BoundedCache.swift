internal import Synchronization

/// Keeps the values that were used last, up to a bound, for any thread.
///
/// Two generations: a value that is used moves into the young one; when that holds half the bound, the old one is
/// dropped and the young one becomes it. So what is in use stays, with no list to keep in order.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Generations {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
        /// Counts removals, so that a value read before one is not put back after it.
        var epoch = 0
    }

    private let bound: Int
    private let generations = Mutex(Generations())

    /// - Parameter bound: The most values kept; 0 keeps none.
    package init(bound: Int) {
        self.bound = bound
    }

    /// The kept value, or the one that is loaded now and kept if there is one.
    ///
    /// Loads run without the lock, also several for one key; what was removed meanwhile is returned, but not kept.
    package func value(for key: Key, loading load: () async throws -> Value?) async rethrows -> Value? {
        let (kept, epoch) = generations.withLock { ($0.young[key] ?? promote(key, in: &$0), $0.epoch) }
        if let kept { return kept }
        guard let value = try await load() else { return nil }
        generations.withLock { generations in
            if generations.epoch == epoch { insert(value, for: key, in: &generations) }
        }
        return value
    }

    /// Forgets a value; calls that begin afterwards load it anew.
    package func remove(_ key: Key) {
        generations.withLock { generations in
            generations.epoch += 1
            generations.young[key] = nil
            generations.old[key] = nil
        }
    }

    /// Forgets all values; calls that begin afterwards load them anew.
    package func removeAll() {
        generations.withLock { generations in
            generations.epoch += 1
            generations.young = [:]
            generations.old = [:]
        }
    }

    private func promote(_ key: Key, in generations: inout Generations) -> Value? {
        guard let value = generations.old[key] else { return nil }
        insert(value, for: key, in: &generations)
        return value
    }

    private func insert(_ value: Value, for key: Key, in generations: inout Generations) {
        guard bound > 1 else { return }
        if generations.young.count >= bound / 2, generations.young[key] == nil {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = value
    }
}
