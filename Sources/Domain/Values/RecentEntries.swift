/// A dictionary of a bounded size, which drops entries that were not used for longest.
///
/// Two generations: an entry that is used moves into the young one; when that holds half the bound, the old one is
/// dropped and the young one becomes it. So what is in use stays, with no list to keep in order.
struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let bound: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter bound: The most entries; below 2 none is stored.
    init(bound: Int) {
        self.bound = bound
    }

    /// The value of a key, or nil if there is none, or none any more; counts as a use.
    mutating func value(for key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        store(value, for: key)
        return value
    }

    /// Sets the value of a key.
    mutating func store(_ value: Value, for key: Key) {
        guard bound > 1 else { return }
        if young.count >= bound / 2, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }

    /// Drops the value of a key.
    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Drops all values.
    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
