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

    /// The clients whose time the evaluation of a node takes: those with a subscription that gets an event about a
    /// change, or had one that ended, or 16 of them, each once however many subscriptions it has; empty if none gets one.
    func clients(of node: LiveNode, at position: Int) -> Set<LiveAllowances.Key> {
        withState { state in
            let index = state.classes[node.className]
            return index?.clients(of: node, at: position, atMost: LiveRegistry.maxClients) ?? []
        }
    }

    /// The subscriptions of a node that get an event about a change: those that began before it and have a connection.
    func subscriptions(of node: LiveNode, at position: Int) -> [LiveSubscription] {
        withState { $0.classes[node.className]?.connected(of: node, at: position) ?? [] }
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
