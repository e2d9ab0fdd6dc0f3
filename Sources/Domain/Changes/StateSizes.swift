/// The sizes of the states that one transaction records.
///
/// Each class of the server has a limit of its own, and all classes of the app share one: the states of an app's objects,
/// which a client can make large, leave room for those that caches and the continuous backup need.
package struct StateSizes: Sendable {
    /// The maximum of each size in bytes.
    private let limit: Int
    /// The sizes in bytes; that of the app's classes together has the key `nil`.
    private var sizes: [ClassName?: Int] = [:]

    /// Creates sizes of 0.
    package init(limit: Int) {
        self.limit = limit
    }

    /// All sizes together, in bytes.
    package var total: Int { sizes.values.reduce(0, +) }

    /// The size in bytes of the states of a class that can still be recorded.
    package func room(for name: ClassName) -> Int { limit - sizes[StateSizes.key(of: name), default: 0] }

    /// Adds a size in bytes; returns `false` if there is no room for it.
    package mutating func add(_ size: Int, of name: ClassName) -> Bool {
        guard size <= room(for: name) else { return false }
        if size > 0 { sizes[StateSizes.key(of: name), default: 0] += size }
        return true
    }

    /// Subtracts a size in bytes that was added.
    package mutating func remove(_ size: Int, of name: ClassName) {
        if size > 0 { sizes[StateSizes.key(of: name), default: 0] -= size }
    }

    private static func key(of name: ClassName) -> ClassName? { name.isReserved ? name : nil }
}
