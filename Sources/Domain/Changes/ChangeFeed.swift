internal import Synchronization

/// The changes of one app's objects, published by its store after each commit.
///
/// A subscriber gets every change that its filters name and that commits after it subscribed, in commit order and
/// exactly once, or it is told that it missed changes. Work that must not be lost does not hang on the feed, which
/// lives in memory: it is a row written in the transaction, and the feed only wakes the worker. For any thread.
package final class ChangeFeed: Sendable {
    /// What a subscriber is told.
    package enum Event: Sendable {
        /// Changes of one or several transactions that were committed together, in order; never empty.
        case changes([Change])
        /// Changes happened that the subscriber is not told of. What it derived from earlier states may be wrong.
        case missed
    }

    private struct Subscriber: Sendable {
        let number: Int
        let filters: [ChangeFilter]
        let wanted: WantedChanges
        let deliver: @Sendable (Event) -> Void
    }

    private struct State {
        /// In the order in which they subscribed.
        var subscribers: [Subscriber] = []
        var newest = 0
        /// What any of them wants.
        var wanted = WantedChanges([])

        mutating func unite() {
            wanted = WantedChanges(subscribers.flatMap(\.filters))
        }
    }

    private let state = Mutex(State())

    /// A feed without subscribers.
    package init() {}

    /// Calls a function with each event, before the write that caused it returns.
    ///
    /// A client that has the answer to that write finds the function's work done.
    ///
    /// All writers wait for the function, so it must return at once: no file, no network, no await. It must not write
    /// to the store. A transaction that runs when the subscription begins is ``Event/missed``, because its first
    /// changes may not have been recorded.
    ///
    /// - Parameters:
    ///   - filters: Which changes it wants.
    ///   - body: Called for one event at a time, in order.
    /// - Returns: Ends the subscription when it is cancelled; without that, the subscription lives as long as the feed.
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

    /// Begins to record a transaction; for stores, when it begins.
    package func transaction() -> TransactionChanges {
        state.withLock { TransactionChanges($0.wanted, newest: $0.newest) }
    }

    /// Tells subscribers what a transaction changed; for stores, after its commit and before any writer is told of it.
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

    /// Tells every subscriber that it missed changes; for stores that lost track of what other servers committed.
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

/// A subscription that can be ended.
package struct ChangeSubscription: Sendable {
    fileprivate let feed: ChangeFeed
    fileprivate let number: Int

    /// Ends it; an event that is being published at this moment may still come.
    package func cancel() {
        feed.cancel(number)
    }
}
