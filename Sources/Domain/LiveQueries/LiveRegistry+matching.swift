extension LiveRegistry {
    /// Whether a class has subscriptions.
    func follows(_ name: ClassName) -> Bool {
        withState { $0.classes[name] != nil }
    }

    /// A change with the nodes that can match; `nil` if there are none.
    ///
    /// The values of the object are looked up outside of the lock, for which subscribing clients wait.
    func finding(_ change: LiveChange) throws -> LiveChange? {
        guard let index = withState({ $0.classes[change.className] }) else { return nil }
        return try change.finding(index)
    }

    /// The subscriptions of a node that get an event about a change, those that began before it and have a connection,
    /// and the clients whose time its evaluation takes.
    func audience(
        of node: LiveNode,
        at position: Int
    ) -> (subscriptions: [LiveSubscription], payers: Set<LiveAllowances.Key>) {
        withState { state in
            var found: [LiveSubscription] = []
            var payers: Set<LiveAllowances.Key> = []
            for subscription in state.classes[node.className]?.subscriptions(of: node) ?? []
            where subscription.since <= position {
                let id = subscription.installation
                guard let connection = state.installations[id]?.connections.first else { continue }
                found.append(subscription)
                payers.insert(connection.address.map(LiveAllowances.Key.address) ?? .installation(id))
            }
            return (found, payers)
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
