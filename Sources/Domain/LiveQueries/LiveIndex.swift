/// The subscriptions of one class, with the nodes that they share.
struct LiveIndex: Sendable {
    /// The connected subscriptions of one client.
    private struct Connected {
        var subscriptions: [LiveQueryID: LiveSubscription] = [:]
        /// The position at which the first one began; it stays when that one ends, so none of the others began earlier.
        var since = Int.max
    }

    private struct Entry {
        let node: LiveNode
        var subscriptions: [LiveQueryID: LiveSubscription] = [:]
        /// The subscriptions of installations with a connection, by the client whose time they take: so all clients are
        /// found, however many subscriptions one of them has.
        private(set) var connected: [LiveAllowances.Key: Connected] = [:]
        /// The client of each connected subscription.
        private var clients: [LiveQueryID: LiveAllowances.Key] = [:]

        init(node: LiveNode) {
            self.node = node
        }

        mutating func setClient(_ client: LiveAllowances.Key?, of subscription: LiveSubscription) {
            if let former = clients[subscription.id], former != client {
                connected[former]?.subscriptions[subscription.id] = nil
                if connected[former]?.subscriptions.isEmpty == true { connected[former] = nil }
            }
            clients[subscription.id] = client
            guard let client else { return }
            var own = connected.removeValue(forKey: client) ?? Connected()
            own.subscriptions[subscription.id] = subscription
            own.since = min(own.since, subscription.since)
            connected[client] = own
        }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The nodes by what their subscriptions have in common.
    private var keys: [LiveNode.Key: LiveNode] = [:]
    /// The nodes with a connected subscription: changes are compared with no others, so that subscriptions without a
    /// client cost writers and other clients nothing.
    private(set) var table = LiveNodeTable()

    /// Whether there are no subscriptions.
    var isEmpty: Bool { entries.isEmpty }

    /// The node of a key; `nil` if no subscription has it.
    func node(_ key: LiveNode.Key) -> LiveNode? { keys[key] }

    /// The subscriptions of a node.
    func subscriptions(of node: LiveNode) -> [LiveSubscription] {
        (entries[ObjectIdentifier(node)]?.subscriptions.values).map(Array.init) ?? []
    }

    /// The clients with a connected subscription of a node that began before a change.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - position: The position of the change.
    ///   - count: The maximum number of clients.
    /// - Returns: The clients.
    func clients(of node: LiveNode, at position: Int, atMost count: Int) -> Set<LiveAllowances.Key> {
        var found: Set<LiveAllowances.Key> = []
        for (client, own) in entries[ObjectIdentifier(node)]?.connected ?? [:] where own.since <= position {
            found.insert(client)
            if found.count >= count { break }
        }
        return found
    }

    /// The connected subscriptions of a node that began before the change at a position.
    func connected(of node: LiveNode, at position: Int) -> [LiveSubscription] {
        guard let connected = entries[ObjectIdentifier(node)]?.connected.values else { return [] }
        return connected.flatMap { $0.subscriptions.values.filter { $0.since <= position } }
    }

    /// The installations with subscriptions.
    var installations: Set<InstallationID> {
        Set(entries.values.lazy.flatMap(\.subscriptions.values).map(\.installation))
    }

    /// Adds a subscription, and its node if that is new.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - client: The client whose time it takes; `nil` if its installation has no connection.
    /// - Returns: Whether the node is new.
    @discardableResult
    mutating func insert(_ subscription: LiveSubscription, of client: LiveAllowances.Key?) -> Bool {
        let node = subscription.node
        let id = ObjectIdentifier(node)
        let isNew = entries[id] == nil
        if isNew { keys[node.key] = node }
        entries[id, default: Entry(node: node)].subscriptions[subscription.id] = subscription
        setClient(client, of: subscription)
        return isNew
    }

    /// Records the client whose time a subscription takes; `nil` if its installation has no connection.
    mutating func setClient(_ client: LiveAllowances.Key?, of subscription: LiveSubscription) {
        let node = subscription.node
        let id = ObjectIdentifier(node)
        let wasIdle = entries[id]?.connected.isEmpty ?? true
        entries[id]?.setClient(client, of: subscription)
        let isIdle = entries[id]?.connected.isEmpty ?? true
        if wasIdle, !isIdle { table.insert(node) }
        if !wasIdle, isIdle { table.remove(node) }
    }

    /// Removes a subscription, and its node with the last one.
    ///
    /// - Returns: Whether the node was removed.
    @discardableResult
    mutating func remove(_ subscription: LiveSubscription) -> Bool {
        let id = ObjectIdentifier(subscription.node)
        setClient(nil, of: subscription)
        entries[id]?.subscriptions[subscription.id] = nil
        guard let entry = entries[id], entry.subscriptions.isEmpty else { return false }
        entries[id] = nil
        keys[entry.node.key] = nil
        return true
    }
}
