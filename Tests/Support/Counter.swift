internal import Synchronization

/// Counts calls; thread-safe.
package final class Counter: Sendable {
    private let count = Mutex(0)

    package init() {}

    /// The number of calls.
    package var value: Int { count.withLock { $0 } }

    /// Counts a call; returns 0, then 1, then 2.
    package func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
