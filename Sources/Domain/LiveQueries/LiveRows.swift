internal import Logging
internal import Synchronization

/// The live queries of a store that several servers share: each subscription is a row of `_LiveQuery`.
///
/// A subscribe request writes the row, at whichever server. The server with the client's connection has the subscription
/// in memory: it reads the rows of an installation when its first connection is attached, and follows the changes of
/// rows in the change feed, in one order with those of the objects. One task, that of ``LiveMatcher``, does both, so the
/// rows that it read are never older than the changes that it has handled.
struct LiveRows: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    let engine: any PatternEngine
    let registry: LiveRegistry
    let times: LiveTimes
    let logger: Logger
    /// The rows that this server cannot serve; clients can cause them at any rate.
    private let unserved: LossLog
    /// The number of rows of the app, and when it was counted.
    private let total: RowCount
    /// The new rows of each client address.
    private let additions: RateLimit<String>
    /// The installations whose rows are being read.
    let loading = LiveLoading()

    /// The maximum number of rows that one transaction changes.
    static let chunk = 100

    init(
        store: any ObjectStore,
        settings: ObjectSettings,
        engine: any PatternEngine,
        registry: LiveRegistry,
        logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.engine = engine
        self.registry = registry
        self.logger = logger
        unserved = LossLog(app: registry.app, logger: logger, clock: registry.clock)
        times = LiveTimes(lifetime: registry.limits.lifetime)
        total = RowCount(clock: registry.clock)
        let share = LiveUsage.share(of: registry.limits.subscriptions)
        additions = RateLimit(
            share,
            seconds: times.shortest,
            setting: "liveQueries.subscriptions",
            refusal: "Clients at this address have subscribed to \(share) live queries in \(times.shortest) seconds, "
                + "their share of the limit",
            clock: registry.clock
        )
    }

    // MARK: Requests

    /// Writes the row of a subscription, or gives an existing one the rights of the caller; on return it is committed.
    ///
    /// A row that needs no change is not written.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit; errors of `admit`, which returns the caller as the
    ///   transaction finds it; errors of the store.
    func subscribe(
        _ query: LiveQuery,
        of installation: InstallationID,
        countingFor owner: LiveOwner,
        admitting admit: @escaping @Sendable (any ReadTransaction) throws -> Caller
    ) async throws -> LiveQueryID {
        let now = settings.clock()
        let queryID = LiveQueryID(of: registry.app, installation, query.json)
        guard let id = queryID.row else { return queryID }
        let known = try await store.read { [times] reader -> Known in
            let caller = LiveRow.Subscriber(try admit(reader))
            guard let row = try reader.liveRow(id) else { return .missing }
            return row.caller == caller && !times.isDue(row.expiresAt, at: now) ? .current : .outdated
        }
        if known == .current { return queryID }
        let count = try await total.value { try await store.read { try $0.count(.always, in: .liveQuery) } }
        if known == .missing, let address = owner.address { try additions.take(for: address) }
        let isNew = try await store.write { [limits = registry.limits, times] writer in
            var row = LiveRow(query, of: installation, by: try admit(writer), expiringAt: times.short(from: now))
            if let before = try writer.object(id, in: .liveQuery) {
                if let known = LiveRow(before) { row.expiresAt = max(row.expiresAt, known.expiresAt) }
                try writer.replace(before, with: row, at: now)
                return false
            }
            try LiveRegistry.requireCapacity(
                limits,
                all: count,
                own: try writer.count(LiveRow.belongs(toAny: [installation]), in: .liveQuery)
            )
            try writer.insert(
                StoredObject(id: id, createdAt: now, updatedAt: now, fields: row.fields),
                into: .liveQuery
            )
            return true
        }
        if isNew { total.add(1) }
        return queryID
    }

    /// What the store has of a subscription.
    private enum Known {
        case missing
        case outdated
        case current
    }

    /// Removes the row of a subscription of an installation; an unknown one is not an error.
    ///
    /// - Throws: Errors of the store.
    func unsubscribe(_ id: LiveQueryID, of installation: InstallationID) async throws {
        guard let row = id.row else { return }
        let now = settings.clock()
        let isRemoved = try await store.write { writer in
            guard let before = try writer.object(row, in: .liveQuery), let known = LiveRow(before),
                known.installation == installation
            else { return false }
            return try writer.end(before, known, at: now)
        }
        if isRemoved { total.add(-1) }
        registry.unsubscribe(id, of: installation)
    }

    // MARK: The task of the matcher

    /// Removes the rows of subscriptions whose condition the class no longer allows.
    func end(_ subscriptions: [LiveSubscription]) async {
        let now = settings.clock()
        let ids = subscriptions.compactMap(\.id.row)
        guard !ids.isEmpty else { return }
        do {
            let removed = try await store.write { writer in
                var count = 0
                for id in ids {
                    guard let before = try writer.object(id, in: .liveQuery), let row = LiveRow(before) else {
                        continue
                    }
                    if try writer.end(before, row, at: now) { count += 1 }
                }
                return count
            }
            total.add(-removed)
        } catch {
            logger.debug("Live queries were not removed", metadata: ["app": "\(registry.app)", "error": "\(error)"])
        }
    }

    /// Handles the change of a row.
    ///
    /// - Parameters:
    ///   - change: A change of `_LiveQuery`, with its states.
    ///   - position: The position after the change.
    /// - Throws: Errors of the store.
    func apply(_ change: Change, at position: Int) async throws {
        guard let after = try change.after?.object() else {
            return removed(LiveQueryID(change.id.description))
        }
        guard let row = LiveRow(after) else { return complain(of: change.id, nil) }
        guard !row.isEnded else { return registry.unsubscribe(row.id, of: row.installation) }
        guard registry.isLoaded(row.installation), !registry.renew(row) else { return }
        guard let found = try await store.read({ try subscription(row, $0) }) else { return }
        try registry.insert(found, since: position)
    }

    /// The client of a removed row does not know that its subscription is over: it has to come back.
    private func removed(_ id: LiveQueryID) {
        guard let installation = registry.installation(of: id) else { return }
        let count = registry.sendAway { _ in [installation] }
        guard count > 0 else { return }
        logger.warning(
            "The live query of a connected client expired at another server; check the clocks of the servers",
            metadata: ["app": "\(registry.app)", "query": "\(id)"]
        )
    }

    /// The limits of this server are lower than those of the server that accepted the subscription.
    func complain(of id: ObjectID, _ error: (any Error)?) {
        var metadata: Logger.Metadata = ["query": "\(id)"]
        if let error { metadata["error"] = "\((error as? ServiceError)?.message ?? "\(error)")" }
        unserved.note("A live query cannot be served; do all servers have the same settings?", metadata)
    }
}

extension ReadTransaction {
    /// A row of `_LiveQuery`; `nil` if it does not exist.
    fileprivate func liveRow(_ id: ObjectID) throws -> LiveRow? {
        try object(id, in: .liveQuery).flatMap { LiveRow($0) }
    }
}

extension WriteTransaction {
    /// Changes a row of `_LiveQuery`.
    func replace(_ before: StoredObject, with row: LiveRow, at now: Timestamp) throws {
        var object = before
        object.fields = row.fields
        object.touch(at: now)
        try update(object, in: .liveQuery, from: before)
    }

    /// Removes a row of `_LiveQuery` because its subscription has ended; returns whether it existed.
    fileprivate func end(_ before: StoredObject, _ row: LiveRow, at now: Timestamp) throws -> Bool {
        var ended = row
        // The server with the connection tells this end from a removal that it did not expect.
        ended.expiresAt = LiveRow.end
        try replace(before, with: ended, at: now)
        return try delete(before.id, in: .liveQuery)
    }
}

/// The number of rows of an app, counted again from time to time: a count of all rows for each new one would be slow.
///
/// The limit of an app is therefore exceeded by what the other servers add meanwhile.
private final class RowCount: Sendable {
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex<(count: Int, end: ContinuousClock.Instant)?>(nil)

    /// The time for which a count is used.
    private static let life = Duration.seconds(10)

    init(clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.clock = clock
    }

    /// The number, by `count` if it is not known.
    func value(_ count: () async throws -> Int) async throws -> Int {
        let now = clock()
        if let known = state.withLock({ $0 }), now < known.end { return known.count }
        let value = try await count()
        state.withLock { $0 = (value, now + RowCount.life) }
        return value
    }

    /// Counts rows that this server has added, or removed if the number is negative.
    func add(_ number: Int) {
        state.withLock { $0?.count += number }
    }
}
