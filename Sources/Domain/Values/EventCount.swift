internal import Synchronization

/// A count of events that only grows; thread-safe, without a lock.
package final class EventCount: Sendable {
    private let count = Atomic(0)

    /// Creates a count of 0.
    package init() {}

    /// Counts events.
    ///
    /// - Parameter events: Their number, 0 or more.
    package func add(_ events: Int = 1) {
        count.wrappingAdd(events, ordering: .relaxed)
    }

    /// The number of events so far.
    package var value: Int { count.load(ordering: .relaxed) }
}
