/// What the live queries and WebSockets of an app take of its limits, with the shares of client addresses and guests.
struct LiveUsage: Sendable {
    /// The memory of all nodes in bytes, by ``LiveNode/size``.
    private(set) var memory = 0
    private var memoryOfGuests = 0
    private var memoryOfAddress: [String: Int] = [:]
    private var subscriptionsOfAddress: [String: Int] = [:]
    private var sockets: [ObjectIdentifier: Socket] = [:]
    private var socketsOfAddress: [String: Int] = [:]

    private struct Socket {
        let address: String?
        /// The number of installations that have logged in on it.
        var connections = 0
    }

    /// The percentage of a limit that clients at one address can use.
    static let addressShare = 25
    /// The percentage of the memory that guests can use.
    static let guestShare = 60

    /// The share of a limit that clients at one address can use.
    static func share(of limit: Int) -> Int { max(1, limit / 100 * addressShare + limit % 100 * addressShare / 100) }

    // MARK: Subscriptions

    /// Throws ``ServiceError/Code/overloaded`` if the clients at an owner's address have their share of the subscriptions.
    func requireSubscription(of owner: LiveOwner, _ limits: LiveQueryLimits) throws {
        let share = LiveUsage.share(of: limits.subscriptions)
        guard let address = owner.address, subscriptionsOfAddress[address, default: 0] >= share else { return }
        throw ServiceError(
            .overloaded,
            "Clients at this address have \(share) live queries, their share of the limit (liveQueries.subscriptions).",
            limit: "liveQueries.subscriptions"
        )
    }

    /// Counts a subscription.
    mutating func add(subscriptionOf owner: LiveOwner) {
        if let address = owner.address { subscriptionsOfAddress.add(1, to: address) }
    }

    /// Counts a subscription less.
    mutating func remove(subscriptionOf owner: LiveOwner) {
        if let address = owner.address { subscriptionsOfAddress.add(-1, to: address) }
    }

    // MARK: Memory

    /// Throws ``ServiceError/Code/overloaded`` if a node of a query would exceed the memory, or a share of it.
    func requireMemory(of query: LiveQuery, for owner: LiveOwner, _ limits: LiveQueryLimits) throws {
        let (limit, size) = (limits.memory, query.size)
        func require(_ used: Int, _ percentage: Int, _ who: String) throws {
            let share = limit / 100 * percentage
            guard used + size > share else { return }
            throw ServiceError(
                .overloaded,
                "\(who) would take \(used + size) bytes of memory; the limit is \(share) (liveQueries.memory).",
                limit: "liveQueries.memory"
            )
        }
        if let address = owner.address {
            let used = memoryOfAddress[address, default: 0]
            try require(used, LiveUsage.addressShare, "The live queries of clients at this address")
        }
        if owner.isGuest { try require(memoryOfGuests, LiveUsage.guestShare, "The live queries of guests") }
        try require(memory, 100, "The app's live queries")
    }

    /// Counts a node.
    mutating func add(_ node: LiveNode) { count(node, node.size) }

    /// Counts a node less.
    mutating func remove(_ node: LiveNode) { count(node, -node.size) }

    private mutating func count(_ node: LiveNode, _ size: Int) {
        memory += size
        if node.owner.isGuest { memoryOfGuests += size }
        if let address = node.owner.address { memoryOfAddress.add(size, to: address) }
    }

    // MARK: WebSockets

    /// The number of WebSockets.
    var socketCount: Int { sockets.count }

    /// Throws ``ServiceError/Code/overloaded`` if the WebSocket of a connection is new, and the app or the clients at its
    /// address cannot have one more.
    func requireSocket(of connection: any LiveConnection, _ limits: LiveQueryLimits) throws {
        guard sockets[connection.socket] == nil else { return }
        guard sockets.count < limits.connections else {
            throw ServiceError(
                .overloaded,
                "The app has \(limits.connections) connections for live queries, the limit (liveQueries.connections).",
                limit: "liveQueries.connections"
            )
        }
        let share = LiveUsage.share(of: limits.connections)
        guard let address = connection.address, socketsOfAddress[address, default: 0] >= share else { return }
        throw ServiceError(
            .overloaded,
            "Clients at this address have \(share) connections for live queries, their share of the limit "
                + "(liveQueries.connections).",
            limit: "liveQueries.connections"
        )
    }

    /// Counts a connection, and its WebSocket if it is new.
    mutating func add(_ connection: any LiveConnection) {
        if sockets[connection.socket] == nil, let address = connection.address { socketsOfAddress.add(1, to: address) }
        sockets[connection.socket, default: Socket(address: connection.address)].connections += 1
    }

    /// Counts a connection less, and its WebSocket with the last one.
    mutating func remove(_ connection: any LiveConnection) {
        guard let socket = sockets[connection.socket] else { return }
        guard socket.connections == 1 else {
            sockets[connection.socket]?.connections -= 1
            return
        }
        sockets[connection.socket] = nil
        if let address = socket.address { socketsOfAddress.add(-1, to: address) }
    }
}

extension [String: Int] {
    /// Changes the count of a key, which is removed with the last one.
    fileprivate mutating func add(_ number: Int, to key: String) {
        let count = self[key, default: 0] + number
        self[key] = count == 0 ? nil : count
    }
}
