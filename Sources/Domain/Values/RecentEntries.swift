/// A dictionary of a bounded size, which drops the least recently used entries.
///
/// It has two generations: a used entry moves to the young one; when that contains half the bound, the old one is
/// dropped and the young one becomes the old one. So entries in use stay, without an ordered list.
struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let bound: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter bound: The maximum number of entries; below 2 nothing is stored.
    init(bound: Int) {
        self.bound = bound
    }

    /// The value of a key, which counts as a use; `nil` if there is none or it was dropped.
    mutating func value(for key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        store(value, for: key)
        return value
    }

    /// Stores the value of a key.
    mutating func store(_ value: Value, for key: Key) {
        guard bound > 1 else { return }
        if young.count >= bound / 2, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }

    /// Removes the value of a key.
    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Removes all values.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
