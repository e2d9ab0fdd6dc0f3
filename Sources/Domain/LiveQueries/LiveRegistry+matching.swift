extension LiveRegistry {
    /// Whether a class has subscriptions.
    func follows(_ name: ClassName) -> Bool {
        withState { $0.classes[name] != nil }
    }

    /// A change with the nodes that can match; `nil` if there are none.
    ///
    /// The values of the object are looked up outside of the lock, for which subscribing clients wait.
    func finding(_ change: LiveChange) throws -> LiveChange? {
        guard let table = withState({ $0.classes[change.className]?.table }) else { return nil }
        return try change.finding(table)
    }

    /// The maximum number of clients whose time one evaluation takes: all clients of a node with many subscriptions would
    /// be a long list for each change, also for one that does not match.
    private static let maxClients = 16
    /// The maximum number of subscriptions in which these clients are searched: many can be of one client.
    private static let maxVisits = 100

    /// The clients whose time the evaluation of a node takes: those with a subscription that gets an event about a
    /// change, or 16 of them; empty if no subscription gets one.
    func clients(of node: LiveNode, at position: Int) -> Set<LiveAllowances.Key> {
        withState { state in
            var found: Set<LiveAllowances.Key> = []
            var visits = 0
            state.classes[node.className]?.visitConnected(of: node) { subscription in
                guard let connection = state.connection(of: subscription, at: position) else { return true }
                let id = subscription.installation
                found.insert(connection.address.map(LiveAllowances.Key.address) ?? .installation(id))
                visits += 1
                return found.count < LiveRegistry.maxClients && visits < LiveRegistry.maxVisits
            }
            return found
        }
    }

    /// The subscriptions of a node that get an event about a change: those that began before it and have a connection.
    func subscriptions(of node: LiveNode, at position: Int) -> [LiveSubscription] {
        withState { state in
            var found: [LiveSubscription] = []
            state.classes[node.className]?.visitConnected(of: node) { subscription in
                if state.connection(of: subscription, at: position) != nil { found.append(subscription) }
                return true
            }
            return found
        }
    }

    /// Removes the subscriptions of a node whose condition the class no longer allows.
    ///
    /// The clients are not told; send them away after it.
    ///
    /// - Returns: The removed subscriptions.
    func end(_ node: LiveNode) -> [LiveSubscription] {
        withState { state in
            let removed = state.classes[node.className]?.subscriptions(of: node) ?? []
            for subscription in removed {
                state.remove(subscription)
                state.removeIfUnused(subscription.installation)
            }
            return removed
        }
    }

    /// Hands events to the connections, in order, and stores the callers as they were looked up.
    ///
    /// - Returns: The number of events that were handed over.
    func deliver(_ decision: LiveDecision) -> Int {
        let sending = withState { state in
            for (key, caller) in decision.callers { state.callers.update(key, to: caller) }
            return decision.deliveries.flatMap { delivery -> [(any LiveConnection, LiveEvent)] in
                guard state.subscriptions[delivery.event.query] != nil else { return [] }
                let connections = state.installations[delivery.installation]?.connections ?? []
                return connections.map { ($0, delivery.event) }
            }
        }
        for (connection, event) in sending { connection.send(event) }
        return sending.count
    }
}

extension LiveRegistry.State {
    /// The first connection to which a subscription sends its events about a change; `nil` if it sends none.
    fileprivate func connection(of subscription: LiveSubscription, at position: Int) -> (any LiveConnection)? {
        guard subscription.since <= position else { return nil }
        return installations[subscription.installation]?.connections.first
    }
}
