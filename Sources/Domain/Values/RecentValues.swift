/// A list of a bounded length, which drops the oldest values.
struct RecentValues<Value: Sendable>: Sendable {
    private let bound: Int
    private var values: [Value] = []
    /// The index of the oldest value, once the list is full.
    private var first = 0

    /// - Parameter bound: The maximum number of values, at least 1.
    init(bound: Int) {
        self.bound = max(1, bound)
    }

    /// Adds the newest value.
    mutating func append(_ value: Value) {
        if values.count < bound {
            values.append(value)
        } else {
            values[first] = value
            first = (first + 1) % bound
        }
    }

    /// All values, the oldest first.
    var all: [Value] { Array(values[first...] + values[..<first]) }

    /// The oldest value; `nil` if the list is empty.
    var oldest: Value? { values.isEmpty ? nil : values[first] }

    /// Removes all values.
    mutating func removeAll() {
        values = []
        first = 0
    }
}
