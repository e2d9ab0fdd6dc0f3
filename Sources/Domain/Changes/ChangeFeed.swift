internal import Synchronization

/// The changes of one app's objects, published by its store after each commit.
///
/// A subscriber gets every change that matches its filters and commits after it subscribed, in commit order and exactly
/// once, or an event that it missed changes. Work that must not be lost does not depend on the feed, which is in
/// memory: it is a row written in the transaction, and the feed only wakes the worker. Thread-safe.
package final class ChangeFeed: Sendable {
    /// An event for a subscriber.
    package enum Event: Sendable {
        /// The changes of one or several transactions that were committed together, in order; never empty.
        case changes([Change])
        /// The subscriber missed changes; data that it derived from earlier states can be outdated.
        case missed
    }

    private struct Subscriber: Sendable {
        let number: Int
        let filters: [ChangeFilter]
        let wanted: WantedChanges
        let deliver: @Sendable (Event) -> Void
    }

    private struct State {
        /// The subscribers in the order in which they subscribed.
        var subscribers: [Subscriber] = []
        var newest = 0
        /// The union of their filters.
        var wanted = WantedChanges([])

        mutating func unite() {
            wanted = WantedChanges(subscribers.flatMap(\.filters))
        }
    }

    private let state = Mutex(State())

    /// Creates a feed without subscribers.
    package init() {}

    /// Calls a function with each event, before the write that caused it returns.
    ///
    /// When a client receives the response to that write, the function has run.
    ///
    /// All writers wait for the function, so it must return at once: it must not access files or the network, or wait.
    /// It must not write to the store. For a transaction that runs when the subscription begins, the event is
    /// ``Event/missed``, because its first changes may not have been recorded.
    ///
    /// - Parameters:
    ///   - filters: The changes to receive.
    ///   - body: Called for one event at a time, in order.
    /// - Returns: The subscription, which lives until it is cancelled or the feed is released.
    @discardableResult
    package func subscribe(
        to filters: [ChangeFilter],
        _ body: @escaping @Sendable (Event) -> Void
    ) -> ChangeSubscription {
        state.withLock { state in
            state.newest += 1
            state.subscribers.append(
                Subscriber(
                    number: state.newest,
                    filters: filters,
                    wanted: WantedChanges(filters),
                    deliver: body
                )
            )
            state.unite()
            return ChangeSubscription(feed: self, number: state.newest)
        }
    }

    /// Begins to record a transaction; called by stores when a transaction begins.
    package func transaction() -> TransactionChanges {
        state.withLock { TransactionChanges($0.wanted, newest: $0.newest) }
    }

    /// Publishes the changes of a transaction; called by stores after its commit and before any writer learns of the
    /// commit.
    ///
    /// The store calls it for one transaction after the other, in commit order.
    package func publish(_ transaction: TransactionChanges) {
        let changes = transaction.changes
        for subscriber in state.withLock({ $0.subscribers }) {
            guard subscriber.number <= transaction.newest else {
                subscriber.deliver(.missed)
                continue
            }
            let own = changes.filter(subscriber.wanted.contains)
            if !own.isEmpty { subscriber.deliver(.changes(own)) }
        }
    }

    /// Publishes to every subscriber that it missed changes; for stores that do not know all commits of other servers.
    package func publishMissed() {
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.deliver(.missed) }
    }

    fileprivate func cancel(_ number: Int) {
        state.withLock { state in
            state.subscribers.removeAll { $0.number == number }
            state.unite()
        }
    }
}

/// A subscription that can be cancelled.
package struct ChangeSubscription: Sendable {
    fileprivate let feed: ChangeFeed
    fileprivate let number: Int

    /// Ends the subscription; an event that is being published at this moment can still arrive.
    package func cancel() {
        feed.cancel(number)
    }
}
