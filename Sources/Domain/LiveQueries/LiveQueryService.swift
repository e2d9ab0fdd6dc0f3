package import Logging
internal import Synchronization

/// The live queries of one app: subscriptions, connections, and the events that changes cause (protocol/data 8).
///
/// Thread-safe.
package final class LiveQueryService: Sendable {
    /// The limits.
    package let limits: LiveQueryLimits
    /// The subscriptions and connections.
    let registry: LiveRegistry
    private let store: any ObjectStore
    private let settings: ObjectSettings
    private let engine: any PatternEngine
    private let changes: BufferedChanges
    /// The subscriptions as rows, and the changes of rows; `nil` unless several servers share the store.
    let rows: LiveRows?
    private let announcements: ChangeSubscription?
    private let rate: RateLimit<CallerIdentity>
    private let requestLimits: RequestLimits
    private let matcher: LiveMatcher
    private let progress = LiveProgress()

    /// - Parameters:
    ///   - app: The app.
    ///   - store: The app's store, whose change feed the service follows.
    ///   - settings: The settings of objects and accounts.
    ///   - engine: The engine of regular expressions.
    ///   - limits: The limits.
    ///   - requestLimits: Knows which client addresses have limits.
    ///   - logger: Records what an operator needs to know.
    package convenience init(
        app: AppID,
        store: any ObjectStore,
        settings: ObjectSettings,
        engine: any PatternEngine,
        limits: LiveQueryLimits = LiveQueryLimits(),
        requestLimits: RequestLimits = RequestLimits(),
        logger: Logger
    ) {
        self.init(
            app: app,
            store: store,
            settings: settings,
            engine: engine,
            limits: limits,
            requestLimits: requestLimits,
            logger: logger,
            buffer: ChangeBufferLimits()
        )
    }

    /// Creates a service with its own clock and buffer, for tests.
    init(
        app: AppID,
        store: any ObjectStore,
        settings: ObjectSettings,
        engine: any PatternEngine,
        limits: LiveQueryLimits,
        requestLimits: RequestLimits = RequestLimits(),
        logger: Logger,
        buffer: ChangeBufferLimits,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limits = limits
        self.requestLimits = requestLimits
        self.store = store
        self.settings = settings
        self.engine = engine
        changes = store.changes.buffer(count: buffer.count, size: buffer.size, LiveChange.withoutSignUps)
        rate = .subscriptions(limits.subscribeRate, clock: clock)
        registry = LiveRegistry(app: app, changes: changes, limits: limits, isShared: store.isShared, clock: clock)
        if store.isShared {
            rows = LiveRows(store: store, settings: settings, engine: engine, registry: registry, logger: logger)
            let filter = ChangeFilter(.liveQuery, states: .after)
            _ = changes.subscription.add(filter)
            // After the buffer's subscription, so that the position of the buffer is that after the event.
            announcements = store.changes.subscribe(to: [filter]) { [registry] in registry.announce($0) }
        } else {
            (rows, announcements) = (nil, nil)
        }
        matcher = LiveMatcher(store: store, settings: settings, registry: registry, rows: rows, logger: logger)
    }

    deinit {
        announcements?.cancel()
    }

    /// Subscribes to a query; again if it is subscribed already, with the rights of the new caller.
    ///
    /// - Parameters:
    ///   - body: The body of the request, in the forms of all SDKs.
    ///   - caller: The caller whose rights decide which events are sent.
    /// - Returns: The id of the query.
    /// - Throws: ``ServiceError`` naming the field or the limit.
    package func subscribe(_ body: [String: JSONValue], as caller: Caller) async throws -> LiveQueryID {
        try rate.take(for: caller)
        let installation = try InstallationID(of: body)
        let query = try LiveQuery(body["query"], limits: limits, queries: settings.queries, engine: engine)
        guard query.className != .identity else {
            throw ServiceError(.objectNotFound, "Class or object doesn't exists.")
        }
        // Read before the snapshot, because endings after the snapshot must invalidate the result.
        let epoch = settings.accountDependencies.sessionCache.epoch
        let admit = { @Sendable [settings] (reader: any ReadTransaction) in
            let current = try reader.revalidated(caller, settings.accountDependencies, foundAt: epoch)
            let schema = try reader.schema(of: query.className)
            if let schema { _ = try ObjectAccess(caller: current).query(.always, in: schema) }
            _ = try query.condition.resolvedForEvents(in: schema, for: current, reader)
            return (schema, current)
        }
        let owner = LiveOwner(address: requestLimits.limited(caller), isGuest: caller.group == .guests)
        if let rows {
            return try await rows.subscribe(query, of: installation, countingFor: owner) { try admit($0).1 }
        }
        let (schema, current) = try await store.read(admit)
        let id = try registry.subscribe(query, of: installation, as: current, countingFor: owner, in: schema)
        await registry.awaitRecording(of: [query.className], in: store)
        return id
    }

    /// Ends a subscription; an unknown one is not an error.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the field; on a shared store its errors.
    package func unsubscribe(_ body: [String: JSONValue]) async throws {
        let installation = try InstallationID(of: body)
        guard let id = body["query_id"]?.stringValue else {
            throw ServiceError(.badRequest, "query_id must be a string.")
        }
        if let rows { return try await rows.unsubscribe(LiveQueryID(id), of: installation) }
        registry.unsubscribe(LiveQueryID(id), of: installation)
    }

    /// Adds a connection, which receives the events of an installation.
    ///
    /// - Returns: `true` if it receives them from now on. `false` on a shared store, where the subscriptions of the
    ///   installation have to be read first: ``LiveConnection/begin()`` or ``LiveConnection/fail(_:)`` follows while
    ///   ``run()`` runs, or has been called already.
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    package func attach(_ connection: any LiveConnection, as installation: InstallationID) throws -> Bool {
        let isReady = try registry.attach(connection, to: installation)
        if !isReady { changes.wake() }
        return isReady
    }

    /// Removes a connection; its installation's subscriptions live on for ``LiveQueryLimits/lifetime`` seconds.
    package func detach(_ connection: any LiveConnection, from installation: InstallationID) {
        registry.detach(connection, from: installation)
    }

    /// Makes events of changes until its task is cancelled; call it once.
    ///
    /// Then all connections get ``LiveConnection/goAway()``, also those that are added later.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [registry, rows] in
                var nextRemoval = ContinuousClock.now + .seconds(LiveRows.removalPause)
                while !Task.isCancelled {
                    registry.sweep()
                    await rows?.renew()
                    if let rows, ContinuousClock.now >= nextRemoval {
                        await rows.removeExpired()
                        nextRemoval = .now + .seconds(LiveRows.removalPause)
                    }
                    try? await Task.sleep(for: LiveQueryService.sweepPause)
                }
            }
            var reader = changes.makeAsyncIterator()
            while let event = await reader.next(isolation: #isolation) {
                await matcher.handle(event, endingAt: reader.position)
                if let rows {
                    await rows.load()
                    if let page = rows.nextPage() {
                        group.addTask { [changes] in
                            await rows.parse(page)
                            // Lets this task load what was parsed.
                            changes.wake()
                        }
                    }
                }
                progress.reach(reader.position)
            }
            group.cancelAll()
        }
        registry.stop()
    }

    /// The time between two sweeps of expired subscriptions.
    private static let sweepPause = Duration.seconds(5)

    /// Returns when all changes that were committed before the call have caused their events; only while ``run()`` runs.
    package func settle() async {
        await progress.wait(for: changes.position)
    }

    /// The state for metrics.
    package struct Status: Sendable, Equatable {
        /// The open WebSockets.
        package var connections = 0
        /// The subscriptions.
        package var subscriptions = 0
        /// The events sent so far.
        package var events = 0
        /// The times that a client had to come back because events for it were lost.
        package var losses = 0
    }

    /// The current state.
    package var status: Status {
        let totals = matcher.totals
        return registry.withState { state in
            Status(
                connections: state.usage.socketCount,
                subscriptions: state.subscriptions.count,
                events: totals.events,
                losses: totals.losses
            )
        }
    }
}
