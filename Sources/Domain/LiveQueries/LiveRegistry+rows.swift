/// What the registry of a shared store does: it has the subscriptions of attached installations only.
extension LiveRegistry {
    /// A row with its query as this server parsed it.
    struct Loaded: Sendable {
        let row: LiveRow
        let query: LiveQuery
        /// The class; `nil` if it does not exist yet.
        let schema: ClassSchema?
    }

    /// The connections of installations whose rows were read.
    struct Attached {
        /// Those that get the events from now on.
        var begun: [any LiveConnection] = []
        /// Those whose subscriptions this server cannot have in memory, and why; they were removed.
        var refused: [(connection: any LiveConnection, error: any Error)] = []
    }

    /// Begins to record the classes of new rows, before a later transaction can change their objects; called with each
    /// event of the feed, after the buffer.
    ///
    /// The rows themselves are handled in their order in the buffer.
    func announce(_ event: ChangeFeed.Event) {
        guard case .changes(let changes) = event else { return }
        let rows = changes.compactMap { change in (try? change.after?.object()).flatMap { LiveRow($0) } }
        guard !rows.isEmpty else { return }
        withState { state in
            for row in rows where state.installations[row.installation] != nil && !row.isEnded {
                state.announced[row.className] = changesPosition
                state.filters.follow(row.className)
            }
        }
    }

    /// Records up to which position of the buffer changes were handled, and ends the recording of unused classes.
    func handled(_ position: Int) {
        withState { state in
            state.handled = position
            for name in state.announced.keys { state.unfollowUnused(name) }
        }
    }

    /// Installations whose rows have to be read, each with the number of its first connection; those that have waited
    /// longest.
    func waiting(atMost count: Int) -> [InstallationID: Int] {
        let waiting = withState(\.waiting)
        let first = waiting.sorted { $0.value < $1.value }.prefix(count)
        return Dictionary(uniqueKeysWithValues: first.map { ($0.key, $0.value) })
    }

    /// Whether the subscriptions of an installation are in memory.
    func isLoaded(_ installation: InstallationID) -> Bool {
        withState { $0.installations[installation]?.isLoaded == true }
    }

    /// The installation of a subscription in memory; `nil` for others.
    func installation(of id: LiveQueryID) -> InstallationID? {
        withState { $0.subscriptions[id]?.installation }
    }

    /// Adds the subscriptions of installations whose rows were read.
    ///
    /// An installation that has left and come back since then waits for its rows again: they may have changed before it
    /// came back, when its changes were not announced.
    ///
    /// - Returns: The connections of the other installations that are still attached.
    func load(_ found: [Loaded], of waiting: [InstallationID: Int]) -> Attached {
        let now = clock()
        let rows = Dictionary(grouping: found, by: \.row.installation)
        return withState { state in
            var attached = Attached()
            for id in waiting.filter({ state.waiting[$0.key] == $0.value }).keys {
                state.waiting[id] = nil
                state.installations[id]?.isLoaded = true
                do {
                    // A change recorded before this call was committed before the connections learn that they are
                    // attached.
                    for row in rows[id] ?? [] { try insert(row, since: changesPosition, &state) }
                    attached.begun += state.installations[id]?.connections ?? []
                } catch {
                    attached.refused += state.detach(from: id, at: now, limits) { _ in true }.map {
                        (connection: $0, error: error)
                    }
                }
            }
            return attached
        }
    }

    /// Adds a subscription, or gives an existing one the rights of its row.
    ///
    /// - Parameters:
    ///   - found: The subscription.
    ///   - position: The position from which a new one gets events.
    /// - Throws: ``ServiceError/Code/overloaded`` if it would take too much memory.
    func insert(_ found: Loaded, since position: Int) throws {
        try withState { try insert(found, since: position, &$0) }
    }

    private func insert(_ found: Loaded, since position: Int, _ state: inout State) throws {
        let row = found.row
        guard let installation = state.installations[row.installation], installation.isLoaded else { return }
        let known = state.subscriptions[row.id]
        let caller = row.caller.caller(in: app)
        // The request for the subscription can have come to another server, so the address is that of the connection.
        let owner =
            caller.isMaster
            ? LiveOwner.master
            : LiveOwner(address: installation.connections.first?.address, isGuest: caller.user == nil)
        let isMaster = caller.isMaster
        let subscription = LiveSubscription(
            id: row.id,
            installation: row.installation,
            node: try state.node(of: found.query, isMaster: isMaster, in: found.schema, owner, limits),
            caller: LiveCallers.key(of: caller),
            owner: owner,
            returnsACL: found.query.returnsACL,
            since: known?.since ?? position
        )
        state.insert(subscription, of: caller, insteadOf: known)
        state.expiries[row.id] = row.expiresAt
    }

    /// Takes the time of a row that says nothing else that is new.
    ///
    /// - Returns: `false` if the subscription is not in memory, or if it has other rights.
    func renew(_ row: LiveRow) -> Bool {
        withState { state in
            let key = LiveCallers.key(of: row.caller.caller(in: app))
            guard let known = state.subscriptions[row.id], known.caller == key else { return false }
            state.expiries[row.id] = row.expiresAt
            return true
        }
    }

    /// Takes the time of a row that this server has just changed.
    func note(_ row: LiveRow) {
        withState { state in
            if state.expiries[row.id] != nil { state.expiries[row.id] = row.expiresAt }
        }
    }

    /// The subscriptions whose time satisfies a test.
    func due(_ test: (Timestamp) -> Bool) -> [LiveQueryID] {
        withState { $0.expiries.filter { test($0.value) }.map(\.key) }
    }

    /// The subscriptions whose client has left and did not come back to this server, and whose time satisfies a test.
    func takeDeparted(_ test: (Timestamp) -> Bool) -> [LiveQueryID] {
        withState { state in
            defer { state.departed = [:] }
            return state.departed.filter { test($0.value) && state.subscriptions[$0.key] == nil }.map(\.key)
        }
    }

    /// Removes connections whose rows could not be read.
    func refuse(_ installations: some Sequence<InstallationID>) -> [any LiveConnection] {
        let now = clock()
        return withState { state in
            installations.flatMap { state.detach(from: $0, at: now, limits) { _ in true } }
        }
    }
}

extension LiveRegistry.State {
    /// The maximum number of subscriptions whose rows expire early after their client has left; others stay longer.
    private static let maxDeparted = 100_000

    /// Ends the recording of a class without subscriptions, unless a new row waits in the buffer.
    mutating func unfollowUnused(_ name: ClassName) {
        guard announced[name].map({ $0 <= handled }) ?? true else { return }
        announced[name] = nil
        guard classes[name] == nil else { return }
        filters.unfollow(name)
        newlyRecorded[name] = nil
    }

    /// Removes what an installation without a connection has in memory.
    mutating func unload(_ id: InstallationID) {
        guard let installation = installations[id] else { return }
        waiting[id] = nil
        for query in installation.queries {
            if departed.count < LiveRegistry.State.maxDeparted { departed[query] = expiries[query] }
            if let subscription = subscriptions[query] { remove(subscription) }
        }
        installations[id] = nil
    }
}
