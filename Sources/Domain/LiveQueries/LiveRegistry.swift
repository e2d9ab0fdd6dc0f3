internal import Synchronization

/// The subscriptions, installations and connections of one app, in memory.
///
/// Thread-safe; no function waits.
final class LiveRegistry: Sendable {
    struct State {
        /// Whether subscriptions are rows, so that only those of attached installations are in memory.
        let isShared: Bool
        var installations: [InstallationID: LiveInstallation] = [:]
        var subscriptions: [LiveQueryID: LiveSubscription] = [:]
        var callers = LiveCallers()
        var classes: [ClassName: LiveIndex] = [:]
        var filters: LiveFilters
        /// The used parts of the limits.
        var usage = LiveUsage()
        /// Classes whose recording has just begun, each with a number of its own, until no transaction runs that began
        /// before.
        var newlyRecorded: [ClassName: Int] = [:]
        /// The last number in ``newlyRecorded``.
        var lastRecording = 0
        /// Whether the events have ended, and with them every new connection.
        var isStopped = false

        // On a shared store:

        /// Attached installations whose rows are not read yet, each with a number of its own.
        var waiting: [InstallationID: Int] = [:]
        /// The last number in ``waiting``.
        var lastWaiting = 0
        /// When the rows of the subscriptions expire.
        var expiries: [LiveQueryID: Timestamp] = [:]
        /// Subscriptions whose client has left since the last renewal, and when their rows expire.
        var departed: [LiveQueryID: Timestamp] = [:]
        /// The position of the last new row of each class, until it is handled.
        var announced: [ClassName: Int] = [:]
        /// The position up to which changes were handled.
        var handled = 0
    }

    let app: AppID
    let limits: LiveQueryLimits
    let clock: @Sendable () -> ContinuousClock.Instant
    /// The time that the conditions of each client can take.
    let allowances = LiveAllowances()
    private let changes: BufferedChanges
    private let state: Mutex<State>

    /// - Parameters:
    ///   - app: The app.
    ///   - changes: The buffer, which gets a filter for each class with subscriptions.
    ///   - limits: The limits.
    ///   - isShared: Whether subscriptions are rows.
    ///   - clock: Returns the current time.
    init(
        app: AppID,
        changes: BufferedChanges,
        limits: LiveQueryLimits,
        isShared: Bool,
        clock: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.app = app
        self.changes = changes
        self.limits = limits
        self.clock = clock
        state = Mutex(State(isShared: isShared, filters: LiveFilters(changes.subscription)))
    }

    /// The number of changes that the buffer has got.
    var changesPosition: Int { changes.position }

    /// Runs a body with exclusive access to the state; it must be short.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state throws in try body(&state) }
    }

    /// Adds a subscription, or gives an existing one the rights of the new caller.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - installation: The installation.
    ///   - caller: The caller, as just looked up.
    ///   - owner: The client in whose shares of limits it counts.
    ///   - schema: The class; `nil` if it does not exist yet.
    /// - Returns: The id of the query.
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    func subscribe(
        _ query: LiveQuery,
        of installation: InstallationID,
        as caller: Caller,
        countingFor owner: LiveOwner,
        in schema: ClassSchema?
    ) throws -> LiveQueryID {
        let id = LiveQueryID(of: app, installation, query.json)
        let now = clock()
        try withState { state in
            let known = state.subscriptions[id]
            if known == nil {
                let own = state.installations[installation]?.queries.count ?? 0
                try LiveRegistry.requireCapacity(limits, all: state.subscriptions.count, own: own)
            }
            // A repeated one counts for the address of the newest request.
            if known == nil || known?.owner.address != owner.address {
                try state.usage.requireSubscription(of: owner, limits)
            }
            let node = try state.node(of: query, isMaster: caller.isMaster, in: schema, owner, limits)
            let subscription = LiveSubscription(
                id: id,
                installation: installation,
                node: node,
                caller: LiveCallers.key(of: caller),
                owner: owner,
                returnsACL: query.returnsACL,
                since: known?.since ?? changes.position
            )
            state.insert(subscription, of: caller, insteadOf: known)
            state.installations[installation]?.wait(from: now, lifetime: limits.lifetime)
        }
        return id
    }

    /// Ends a subscription if it belongs to the installation.
    func unsubscribe(_ id: LiveQueryID, of installation: InstallationID) {
        withState { state in
            guard let subscription = state.subscriptions[id], subscription.installation == installation else { return }
            state.remove(subscription)
            state.removeIfUnused(installation)
        }
    }

    /// Forgets the subscriptions that have waited too long for a connection.
    func sweep() {
        let now = clock()
        withState { state in
            for (id, installation) in state.installations where installation.expiry.map({ $0 <= now }) == true {
                for query in installation.queries {
                    if let subscription = state.subscriptions[query] { state.remove(subscription) }
                }
                state.removeIfUnused(id)
            }
        }
    }

    /// Checks whether an app and an installation with as many subscriptions can have one more.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    static func requireCapacity(_ limits: LiveQueryLimits, all: Int, own: Int) throws {
        guard all < limits.subscriptions else {
            throw ServiceError(
                .overloaded,
                "The app has \(limits.subscriptions) live queries, the limit (liveQueries.subscriptions).",
                limit: "liveQueries.subscriptions"
            )
        }
        guard own < limits.subscriptionsPerInstallation else {
            throw ServiceError(
                .overloaded,
                "The installation has \(own) live queries; the limit is \(limits.subscriptionsPerInstallation) "
                    + "(liveQueries.subscriptionsPerInstallation).",
                limit: "liveQueries.subscriptionsPerInstallation"
            )
        }
    }
}

extension LiveRegistry.State {
    /// The node of a query: that of other subscriptions, or a new one.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if a new one would take too much memory.
    func node(
        of query: LiveQuery,
        isMaster: Bool,
        in schema: ClassSchema?,
        _ owner: LiveOwner,
        _ limits: LiveQueryLimits
    ) throws -> LiveNode {
        let key = LiveNode.Key(condition: query.conditionText, isMaster: isMaster)
        if let known = classes[query.className]?.node(key) { return known }
        try usage.requireMemory(of: query, for: owner, limits)
        return LiveNode(query, isMaster: isMaster, in: schema, of: owner)
    }

    /// Adds a subscription, which can replace one with the same id.
    mutating func insert(
        _ subscription: LiveSubscription,
        of caller: Caller,
        insteadOf former: LiveSubscription?
    ) {
        subscriptions[subscription.id] = subscription
        installations[subscription.installation, default: LiveInstallation(isLoaded: true)].queries
            .insert(subscription.id)
        callers.insert(caller)
        usage.add(subscriptionOf: subscription.owner)
        let name = subscription.node.className
        let client = self.client(of: subscription.installation)
        if classes[name, default: LiveIndex()].insert(subscription, of: client) {
            usage.add(subscription.node)
        }
        if filters.follow(name) {
            lastRecording += 1
            newlyRecorded[name] = lastRecording
        }
        guard let former else { return }
        callers.remove(former.caller)
        usage.remove(subscriptionOf: former.owner)
        if former.node !== subscription.node, classes[name]?.remove(former) == true { usage.remove(former.node) }
    }

    /// Removes a subscription; the installation stays.
    mutating func remove(_ subscription: LiveSubscription) {
        subscriptions[subscription.id] = nil
        installations[subscription.installation]?.queries.remove(subscription.id)
        callers.remove(subscription.caller)
        usage.remove(subscriptionOf: subscription.owner)
        let name = subscription.node.className
        if classes[name]?.remove(subscription) == true { usage.remove(subscription.node) }
        expiries[subscription.id] = nil
        guard classes[name]?.isEmpty == true else { return }
        classes[name] = nil
        unfollowUnused(name)
    }

    mutating func removeIfUnused(_ installation: InstallationID) {
        if installations[installation]?.isUnused == true { installations[installation] = nil }
    }
}
