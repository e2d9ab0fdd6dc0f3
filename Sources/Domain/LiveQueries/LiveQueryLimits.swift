/// The limits of live queries, each a setting of the group `liveQueries`.
package struct LiveQueryLimits: Sendable {
    /// The maximum number of WebSockets of one app; of those of one client address a quarter.
    package var connections: Int
    /// The maximum number of connections with one installation id.
    package var connectionsPerInstallation: Int
    /// The maximum number of subscriptions of one app; of those of one client address a quarter.
    package var subscriptions: Int
    /// The maximum number of subscriptions of one installation.
    package var subscriptionsPerInstallation: Int
    /// The maximum number of subscribe requests from one client address in a second, on average; ten times as many at once.
    package var subscribeRate: Int
    /// The seconds for which subscriptions without a connection are kept.
    package var lifetime: Int
    /// The maximum size of the JSON of a condition in bytes.
    package var conditionSize: Int
    /// The maximum memory of all compiled regular expressions of a condition in bytes.
    package var patternMemory: Int
    /// The maximum memory of all conditions of one app in bytes; of those of one client address a quarter, of those of
    /// guests 60 %.
    package var memory: Int
    /// The maximum size of a message from a client in bytes.
    package var messageSize: Int
    /// The maximum number of events that wait for one client.
    package var queueCount: Int
    /// The maximum size of the events that wait for one client, in bytes.
    package var queueSize: Int
    /// The maximum memory of the events that wait for all clients of the server, in bytes; of those for clients at one
    /// address a quarter.
    package var queuedMemory: Int
    /// The seconds after which a connection that sends nothing is closed.
    package var idleTimeout: Int

    /// Creates limits; the defaults are those of the settings.
    package init(
        connections: Int = 10_000,
        connectionsPerInstallation: Int = 10,
        subscriptions: Int = 100_000,
        subscriptionsPerInstallation: Int = 100,
        subscribeRate: Int = 100,
        lifetime: Int = 600,
        conditionSize: Int = 16 << 10,
        patternMemory: Int = 256 << 10,
        memory: Int = 64 << 20,
        messageSize: Int = 64 << 10,
        queueCount: Int = 1000,
        queueSize: Int = 4 << 20,
        queuedMemory: Int = 64 << 20,
        idleTimeout: Int = 420
    ) {
        self.connections = connections
        self.connectionsPerInstallation = connectionsPerInstallation
        self.subscriptions = subscriptions
        self.subscriptionsPerInstallation = subscriptionsPerInstallation
        self.subscribeRate = subscribeRate
        self.lifetime = lifetime
        self.conditionSize = conditionSize
        self.patternMemory = patternMemory
        self.memory = memory
        self.messageSize = messageSize
        self.queueCount = queueCount
        self.queueSize = queueSize
        self.queuedMemory = queuedMemory
        self.idleTimeout = idleTimeout
    }
}
