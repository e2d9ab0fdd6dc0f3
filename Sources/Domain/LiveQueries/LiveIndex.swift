/// The subscriptions of one class, with the nodes that they share.
struct LiveIndex: Sendable {
    private struct Entry {
        let node: LiveNode
        var subscriptions: [LiveQueryID: LiveSubscription] = [:]
        /// The subscriptions of installations with a connection.
        var connected: [LiveQueryID: LiveSubscription] = [:]
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

    /// Passes the subscriptions of a node whose installations have a connection to a body, until it returns `false`.
    func visitConnected(of node: LiveNode, _ body: (LiveSubscription) -> Bool) {
        guard let subscriptions = entries[ObjectIdentifier(node)]?.connected.values else { return }
        for subscription in subscriptions {
            guard body(subscription) else { return }
        }
    }

    /// The installations with subscriptions.
    var installations: Set<InstallationID> {
        Set(entries.values.lazy.flatMap(\.subscriptions.values).map(\.installation))
    }

    /// Adds a subscription, and its node if that is new.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - isConnected: Whether its installation has a connection.
    /// - Returns: Whether the node is new.
    @discardableResult
    mutating func insert(_ subscription: LiveSubscription, isConnected: Bool) -> Bool {
        let node = subscription.node
        let id = ObjectIdentifier(node)
        let isNew = entries[id] == nil
        if isNew { keys[node.key] = node }
        entries[id, default: Entry(node: node)].subscriptions[subscription.id] = subscription
        setConnected(isConnected, subscription)
        return isNew
    }

    /// Records whether the installation of a subscription has a connection.
    mutating func setConnected(_ isConnected: Bool, _ subscription: LiveSubscription) {
        let node = subscription.node
        let id = ObjectIdentifier(node)
        let wasIdle = entries[id]?.connected.isEmpty ?? true
        entries[id]?.connected[subscription.id] = isConnected ? subscription : nil
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
        setConnected(false, subscription)
        entries[id]?.subscriptions[subscription.id] = nil
        guard let entry = entries[id], entry.subscriptions.isEmpty else { return false }
        entries[id] = nil
        keys[entry.node.key] = nil
        return true
    }
}
