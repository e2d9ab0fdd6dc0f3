/// A device or page with its connections and subscriptions.
struct LiveInstallation: Sendable {
    /// The connections that get the events.
    private(set) var connections: [any LiveConnection] = []
    /// The subscriptions.
    var queries: Set<LiveQueryID> = []
    /// Whether the subscriptions are in memory; `false` on a shared store until its rows are read.
    var isLoaded: Bool
    /// The time at which the subscriptions are forgotten; `nil` while there is a connection.
    private(set) var expiry: ContinuousClock.Instant?

    /// The maximum number of seconds for which subscriptions wait for the first connection.
    private static let firstWait = 60

    init(isLoaded: Bool) {
        self.isLoaded = isLoaded
    }

    /// Whether nothing is left of the installation.
    var isUnused: Bool { connections.isEmpty && queries.isEmpty }

    /// Lets the subscriptions of an installation without a connection wait for one, after a subscribe request.
    mutating func wait(from now: ContinuousClock.Instant, lifetime: Int) {
        guard connections.isEmpty else { return }
        let end = now + .seconds(min(LiveInstallation.firstWait, lifetime))
        expiry = max(expiry ?? end, end)
    }

    /// Whether this connection gets the events.
    func has(_ connection: any LiveConnection) -> Bool { connections.contains { $0 === connection } }

    mutating func attach(_ connection: any LiveConnection) {
        connections.append(connection)
        expiry = nil
    }

    /// Removes connections; the subscriptions live on for a number of seconds after the last one.
    mutating func detach(
        from now: ContinuousClock.Instant,
        lifetime: Int,
        where isGone: (any LiveConnection) -> Bool
    ) {
        connections.removeAll(where: isGone)
        if connections.isEmpty { expiry = now + .seconds(lifetime) }
    }
}
