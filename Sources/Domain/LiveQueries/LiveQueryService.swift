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
    private let rate: RateLimit<CallerIdentity>
    private let matcher: LiveMatcher
    private let progress = LiveProgress()

    /// - Parameters:
    ///   - app: The app.
    ///   - store: The app's store, whose change feed the service follows.
    ///   - settings: The settings of objects and accounts.
    ///   - engine: The engine of regular expressions.
    ///   - limits: The limits.
    ///   - logger: Records what an operator needs to know.
    package convenience init(
        app: AppID,
        store: any ObjectStore,
        settings: ObjectSettings,
        engine: any PatternEngine,
        limits: LiveQueryLimits = LiveQueryLimits(),
        logger: Logger
    ) {
        self.init(
            app: app,
            store: store,
            settings: settings,
            engine: engine,
            limits: limits,
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
        logger: Logger,
        buffer: ChangeBufferLimits,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limits = limits
        self.store = store
        self.settings = settings
        self.engine = engine
        changes = store.changes.buffer(count: buffer.count, size: buffer.size, LiveChange.withoutSignUps)
        rate = .subscriptions(limits.subscribeRate, clock: clock)
        registry = LiveRegistry(app: app, changes: changes, limits: limits, clock: clock)
        matcher = LiveMatcher(store: store, settings: settings, registry: registry, logger: logger)
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
        let (schema, current) = try await store.read { [settings] reader in
            let current = try reader.revalidated(caller, settings.accountDependencies, foundAt: epoch)
            let schema = try reader.schema(of: query.className)
            if let schema { _ = try ObjectAccess(caller: current).query(.always, in: schema) }
            return (schema, current)
        }
        return try registry.subscribe(query, of: installation, as: current, in: schema)
    }

    /// Ends a subscription; an unknown one is not an error.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the field.
    package func unsubscribe(_ body: [String: JSONValue]) throws {
        let installation = try InstallationID(of: body)
        guard let id = body["query_id"]?.stringValue else {
            throw ServiceError(.badRequest, "query_id must be a string.")
        }
        registry.unsubscribe(LiveQueryID(id), of: installation)
    }

    /// Adds a connection, which from now on receives the events of an installation.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    package func attach(_ connection: any LiveConnection, as installation: InstallationID) throws {
        try registry.attach(connection, to: installation)
    }

    /// Removes a connection; its installation's subscriptions live on for ``LiveQueryLimits/lifetime`` seconds.
    package func detach(_ connection: any LiveConnection, from installation: InstallationID) {
        registry.detach(connection, from: installation)
    }

    /// Makes events of changes until its task is cancelled; call it once.
    ///
    /// Then all connections get ``LiveConnection/goAway()``, also those that are added later.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [registry] in
                while !Task.isCancelled {
                    registry.sweep()
                    try? await Task.sleep(for: LiveQueryService.sweepPause)
                }
            }
            var reader = changes.makeAsyncIterator()
            while let event = await reader.next(isolation: #isolation) {
                await matcher.handle(event, endingAt: reader.position)
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
        /// The open connections.
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
                connections: state.connections,
                subscriptions: state.subscriptions.count,
                events: totals.events,
                losses: totals.losses
            )
        }
    }
}
