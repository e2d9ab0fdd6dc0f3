extension LiveRegistry {
    /// Adds a connection of an installation.
    ///
    /// - Returns: `true` if it gets the events from now on, `false` if the rows of the installation must be read before.
    /// - Throws: ``ServiceError/Code/overloaded`` naming the limit.
    func attach(_ connection: any LiveConnection, to id: InstallationID) throws -> Bool {
        let (isStopped, isLoaded) = try withState { state -> (Bool, Bool) in
            if state.isStopped { return (true, true) }
            var installation = state.installations[id] ?? LiveInstallation(isLoaded: !state.isShared)
            guard !installation.has(connection) else { return (false, installation.isLoaded) }
            try state.usage.requireSocket(of: connection, limits)
            guard installation.connections.count < limits.connectionsPerInstallation else {
                throw ServiceError(
                    .overloaded,
                    "The installation has \(installation.connections.count) connections; the limit is "
                        + "\(limits.connectionsPerInstallation) (liveQueries.connectionsPerInstallation).",
                    limit: "liveQueries.connectionsPerInstallation"
                )
            }
            installation.attach(connection)
            state.installations[id] = installation
            if installation.connections.count == 1 { state.setClient(ofAll: installation.queries, of: id) }
            state.usage.add(connection)
            if !installation.isLoaded, state.waiting[id] == nil {
                state.lastWaiting += 1
                state.waiting[id] = state.lastWaiting
            }
            return (false, installation.isLoaded)
        }
        if isStopped { connection.goAway() }
        return isLoaded
    }

    /// Removes a connection of an installation; an unknown one is ignored.
    func detach(_ connection: any LiveConnection, from id: InstallationID) {
        let now = clock()
        withState { state in
            _ = state.detach(from: id, at: now, limits) { $0 === connection }
        }
    }

    /// Removes the connections of installations and tells them to connect again.
    ///
    /// - Returns: The number of connections.
    func sendAway(_ choose: (State) -> Set<InstallationID>) -> Int {
        let now = clock()
        let gone = withState { state in
            choose(state).flatMap { state.detach(from: $0, at: now, limits) { _ in true } }
        }
        for connection in gone { connection.goAway() }
        return gone.count
    }

    /// Sends all connections away, and new ones from now on.
    func stop() {
        withState { $0.isStopped = true }
        _ = sendAway { Set($0.installations.keys) }
    }
}

extension LiveRegistry.State {
    /// Removes connections of an installation; returns them.
    mutating func detach(
        from id: InstallationID,
        at now: ContinuousClock.Instant,
        _ limits: LiveQueryLimits,
        where isGone: (any LiveConnection) -> Bool
    ) -> [any LiveConnection] {
        guard let gone = installations[id]?.connections.filter(isGone), !gone.isEmpty else { return [] }
        let former = client(of: id)
        installations[id]?.detach(from: now, lifetime: limits.lifetime, where: isGone)
        if let installation = installations[id], client(of: id) != former {
            setClient(ofAll: installation.queries, of: id)
        }
        for connection in gone { usage.remove(connection) }
        if isShared, installations[id]?.connections.isEmpty == true { unload(id) }
        removeIfUnused(id)
        return gone
    }

    /// The client whose time the subscriptions of an installation take: that of its first connection; `nil` without one.
    func client(of id: InstallationID) -> LiveAllowances.Key? {
        guard let connection = installations[id]?.connections.first else { return nil }
        return connection.address.map(LiveAllowances.Key.address) ?? .installation(id)
    }

    /// Records whose time the subscriptions of an installation take, after its first connection has changed.
    fileprivate mutating func setClient(ofAll queries: Set<LiveQueryID>, of id: InstallationID) {
        let client = self.client(of: id)
        for subscription in queries.compactMap({ subscriptions[$0] }) {
            classes[subscription.node.className]?.setClient(client, of: subscription)
        }
    }
}
