/// A dictionary of a bounded size, which drops the least recently used entries.
///
/// It has two generations: a used entry moves to the young one; when that has reached half the bound, the old one is
/// dropped and the young one becomes the old one. So entries in use stay, without an ordered list.
package struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let bound: Int
    private let size: @Sendable (Value) -> Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    /// The sizes of the young values together.
    private var youngSize = 0

    /// - Parameters:
    ///   - bound: The maximum of the sizes of all values together; below 2 nothing is stored.
    ///   - size: The size of a value, the same at each call; without it each value counts as 1. A value of more than
    ///     half the bound is not stored.
    package init(bound: Int, size: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        self.bound = bound
        self.size = size
    }

    /// The value of a key, which counts as a use; `nil` if there is none or it was dropped.
    package mutating func value(for key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        store(value, for: key)
        return value
    }

    /// Stores the value of a key.
    package mutating func store(_ value: Value, for key: Key) {
        let added = size(value)
        removeYoung(key)
        guard added <= bound / 2 else {
            // What the value replaces must not come back.
            old[key] = nil
            return
        }
        if youngSize + added > bound / 2 {
            old = young
            young = [:]
            youngSize = 0
        }
        young[key] = value
        youngSize += added
    }

    /// Removes the value of a key.
    package mutating func remove(_ key: Key) {
        removeYoung(key)
        old[key] = nil
    }

    /// Removes all values.
    package mutating func removeAll() {
        young = [:]
        old = [:]
        youngSize = 0
    }

    private mutating func removeYoung(_ key: Key) {
        if let removed = young.removeValue(forKey: key) { youngSize -= size(removed) }
    }
}
