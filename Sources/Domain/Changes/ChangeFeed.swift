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
        /// The subscriber missed changes, or states of changes that it uses; data that it derived from earlier states
        /// can be outdated.
        case missed
    }

    private struct Subscriber: Sendable {
        struct Filter: Sendable {
            let number: Int
            let filter: ChangeFilter
        }

        let number: Int
        /// Transactions that began before this number are missed.
        let since: Int
        var filters: [Filter]
        /// The union of the filters.
        var wanted: WantedChanges
        let deliver: @Sendable (Event) -> Void

        /// The changes that a transaction has recorded for the subscriber: those of filters that are older.
        func wanted(of transaction: TransactionChanges) -> WantedChanges {
            guard let newest = filters.last?.number, newest > transaction.newest else { return wanted }
            return WantedChanges(filters.lazy.filter { $0.number <= transaction.newest }.map(\.filter))
        }

        mutating func change(_ body: (inout [Filter]) -> Void) {
            body(&filters)
            wanted = WantedChanges(filters.lazy.map(\.filter))
        }
    }

    private struct State {
        /// The subscribers in the order in which they subscribed.
        var subscribers: [Subscriber] = []
        /// The number of the newest subscriber or filter.
        var newest = 0
        /// The union of their filters.
        var wanted = WantedChanges([])
        /// The maximum size of the states of a transaction in bytes.
        var maxSize = TransactionChanges.maxSize

        mutating func unite() {
            wanted = WantedChanges(subscribers.lazy.flatMap(\.filters).map(\.filter))
        }

        /// Changes the filters of a subscriber.
        mutating func change(_ number: Int, _ body: (inout [Subscriber.Filter]) -> Void) {
            guard let index = subscribers.firstIndex(where: { $0.number == number }) else { return }
            subscribers[index].change(body)
            unite()
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
        subscribe(to: filters, missingRunning: true, body)
    }

    /// Subscribes without filters, which are added to the result and removed from it while it lives.
    ///
    /// - Parameter body: As in ``subscribe(to:_:)``; it gets ``Event/missed`` only when the store lost track of
    ///   changes, or had no room for states.
    /// - Returns: The subscription; see ``ChangeSubscription/add(_:)``.
    package func subscribe(_ body: @escaping @Sendable (Event) -> Void) -> ChangeSubscription {
        subscribe(to: [], missingRunning: false, body)
    }

    private func subscribe(
        to filters: [ChangeFilter],
        missingRunning: Bool,
        _ body: @escaping @Sendable (Event) -> Void
    ) -> ChangeSubscription {
        state.withLock { state in
            state.newest += 1
            let number = state.newest
            state.subscribers.append(
                Subscriber(
                    number: number,
                    since: missingRunning ? number : 0,
                    filters: filters.map { Subscriber.Filter(number: number, filter: $0) },
                    wanted: WantedChanges(filters),
                    deliver: body
                )
            )
            state.unite()
            return ChangeSubscription(feed: self, number: number)
        }
    }

    /// Begins to record a transaction; called by stores when a transaction begins.
    package func transaction() -> TransactionChanges {
        state.withLock { TransactionChanges($0.wanted, newest: $0.newest, maxSize: $0.maxSize) }
    }

    /// Limits the states of later transactions to a size in bytes; for tests.
    package func limitStates(to size: Int) {
        state.withLock { $0.maxSize = size }
    }

    /// Publishes the changes of a transaction; called by stores after its commit and before any writer learns of the
    /// commit.
    ///
    /// The store calls it for one transaction after the other, in commit order.
    package func publish(_ transaction: TransactionChanges) {
        let changes = transaction.changes
        for subscriber in state.withLock({ $0.subscribers }) {
            guard subscriber.since <= transaction.newest else {
                subscriber.deliver(.missed)
                continue
            }
            guard !changes.isEmpty else { continue }
            let wanted = subscriber.wanted(of: transaction)
            let own = changes.filter(wanted.contains)
            guard !own.isEmpty else { continue }
            subscriber.deliver(own.contains(where: wanted.misses) ? .missed : .changes(own))
        }
    }

    /// Publishes to every subscriber that it missed changes; for stores that do not know all commits of other servers.
    package func publishMissed() {
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.deliver(.missed) }
    }

    fileprivate func add(_ filter: ChangeFilter, to number: Int) -> Int {
        state.withLock { state in
            state.newest += 1
            let newest = state.newest
            state.change(number) { $0.append(Subscriber.Filter(number: newest, filter: filter)) }
            return newest
        }
    }

    fileprivate func remove(_ filter: Int, from number: Int) {
        state.withLock { state in
            state.change(number) { filters in filters.removeAll { $0.number == filter } }
        }
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

    /// Adds a filter; the subscriber gets the changes of transactions that begin after the call.
    ///
    /// The changes of a transaction that runs at this moment do not arrive, because some may not be recorded;
    /// ``ObjectStore/awaitRunningWrites()`` returns when it has ended: a filter that is added to a subscription causes no
    /// ``ChangeFeed/Event/missed`` for it.
    ///
    /// - Returns: The number of the filter, for ``remove(_:)``.
    package func add(_ filter: ChangeFilter) -> Int {
        feed.add(filter, to: number)
    }

    /// Removes a filter by its number; an event that is being published at this moment can still arrive.
    package func remove(_ filter: Int) {
        feed.remove(filter, from: number)
    }

    /// Ends the subscription; an event that is being published at this moment can still arrive.
    package func cancel() {
        feed.cancel(number)
    }
}
