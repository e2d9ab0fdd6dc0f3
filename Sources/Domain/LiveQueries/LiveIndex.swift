/// The nodes of one class, found by the values of a changed object.
struct LiveIndex: Sendable {
    private struct Entry {
        let node: LiveNode
        var subscriptions: [LiveQueryID: LiveSubscription] = [:]
    }

    private typealias Nodes = [ObjectIdentifier: LiveNode]

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The nodes by what their subscriptions have in common.
    private var keys: [LiveNode.Key: LiveNode] = [:]
    /// The nodes with terms, by path and value.
    private var nodes: [FieldPath: [ValueSet.Member: Nodes]] = [:]
    /// The nodes that are tested for every change.
    private var rest: Nodes = [:]

    /// The maximum number of values that are visited for one change, over all paths.
    ///
    /// Clients choose paths and objects, and along each path the whole field can be read. Beyond it the nodes of the
    /// remaining paths are tested instead, where the time of each is limited.
    private static let maxVisits = 100_000

    /// Whether there are no subscriptions.
    var isEmpty: Bool { entries.isEmpty }

    /// The node of a key; `nil` if no subscription has it.
    func node(_ key: LiveNode.Key) -> LiveNode? { keys[key] }

    /// The subscriptions of a node.
    func subscriptions(of node: LiveNode) -> [LiveSubscription] {
        (entries[ObjectIdentifier(node)]?.subscriptions.values).map(Array.init) ?? []
    }

    /// Passes the subscriptions of a node to a body, until it returns `false`.
    func visitSubscriptions(of node: LiveNode, _ body: (LiveSubscription) -> Bool) {
        guard let subscriptions = entries[ObjectIdentifier(node)]?.subscriptions.values else { return }
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
    /// - Returns: Whether the node is new.
    @discardableResult
    mutating func insert(_ subscription: LiveSubscription) -> Bool {
        let node = subscription.node
        let id = ObjectIdentifier(node)
        let isNew = entries[id] == nil
        if isNew {
            keys[node.key] = node
            insert(node)
        }
        entries[id, default: Entry(node: node)].subscriptions[subscription.id] = subscription
        return isNew
    }

    /// Removes a subscription, and its node with the last one.
    ///
    /// - Returns: Whether the node was removed.
    @discardableResult
    mutating func remove(_ subscription: LiveSubscription) -> Bool {
        let id = ObjectIdentifier(subscription.node)
        entries[id]?.subscriptions[subscription.id] = nil
        guard let entry = entries[id], entry.subscriptions.isEmpty else { return false }
        entries[id] = nil
        keys[entry.node.key] = nil
        remove(entry.node)
        return true
    }

    /// The nodes that can match one of the states of an object.
    func candidates(_ states: [StoredObject]) throws -> [LiveNode] {
        var found = rest
        var visits = 0
        for (path, nodes) in nodes {
            guard visits < LiveIndex.maxVisits else {
                for nodes in nodes.values { found.merge(nodes) { node, _ in node } }
                continue
            }
            for state in states {
                let reached = try PathValues(of: state.value(of: path.field), along: path.inner)
                visits += reached.visits
                for value in reached.values {
                    if let nodes = nodes[ValueSet.Member(value: value)] { found.merge(nodes) { node, _ in node } }
                    guard case .array(let elements) = value else { continue }
                    for element in elements {
                        if let nodes = nodes[ValueSet.Member(value: element)] { found.merge(nodes) { node, _ in node } }
                    }
                }
            }
        }
        return Array(found.values)
    }

    private mutating func insert(_ node: LiveNode) {
        guard let terms = node.terms else {
            rest[ObjectIdentifier(node)] = node
            return
        }
        for term in terms.terms {
            for value in term.values {
                nodes[term.path, default: [:]][ValueSet.Member(value: value), default: [:]][ObjectIdentifier(node)] =
                    node
            }
        }
    }

    private mutating func remove(_ node: LiveNode) {
        rest[ObjectIdentifier(node)] = nil
        for term in node.terms?.terms ?? [] {
            for value in term.values {
                let member = ValueSet.Member(value: value)
                nodes[term.path]?[member]?[ObjectIdentifier(node)] = nil
                if nodes[term.path]?[member]?.isEmpty == true { nodes[term.path]?[member] = nil }
            }
            if nodes[term.path]?.isEmpty == true { nodes[term.path] = nil }
        }
    }
}
