internal import Synchronization

/// Counts calls, from any thread.
package final class Counter: Sendable {
    private let count = Mutex(0)

    package init() {}

    /// How often it was counted.
    package var value: Int { count.withLock { $0 } }

    /// 0, then 1, then 2.
    package func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
