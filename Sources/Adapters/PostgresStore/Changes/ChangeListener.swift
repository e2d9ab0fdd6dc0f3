internal import Domain
internal import Glibc
internal import Logging
internal import NIOPosix
internal import Synchronization

/// Waits for the changes of other servers on a connection of its own, and publishes them.
///
/// Until it is connected again after a loss, subscribers are told a few times a second that they missed changes, so that
/// no cache keeps what it cannot know to be true.
final class ChangeListener: Sendable {
    private let pool: ConnectionPool
    private let relay: ChangeRelay
    private let claim: SchemaClaim
    private let logger: Logger?
    /// Called about every minute, on the listening thread.
    private let everyMinute: @Sendable () -> Void
    private let isStopped = Atomic(false)

    /// The time after which the log is read without a notification, and the connection proved to be alive.
    private static let heartbeat: CInt = 2000
    /// How long the database can leave a heartbeat without an answer: with it, a network or a database that is silent is
    /// noticed after seven seconds, also where something between acknowledges what is sent.
    private static let patience = Duration.seconds(5)
    /// How long the log keeps changes: a server that was cut off for longer is told that it missed some.
    ///
    /// The last one stays, because new connections compare it with what their server knows (``TimelineCheck``).
    private static let memory = "10 minutes"
    /// The most transactions that one statement removes from the log, so that it is short.
    private static let maxRemovals: Int64 = 5000

    init(
        pool: ConnectionPool,
        relay: ChangeRelay,
        claim: SchemaClaim,
        logger: Logger?,
        everyMinute: @escaping @Sendable () -> Void
    ) {
        self.pool = pool
        self.relay = relay
        self.claim = claim
        self.logger = logger
        self.everyMinute = everyMinute
    }

    /// The name under which PostgreSQL sends notifications: one for each schema.
    ///
    /// It is a name of PostgreSQL, too, and so has at most 63 bytes. The schema's own name is one for a long schema.
    static func channel(_ address: PostgresAddress) -> String {
        let name = "changes of \(address.schema)"
        return name.utf8.count <= 63 ? name : address.schema
    }

    /// Connects at the start of a server, and takes the schema (``SchemaClaim``).
    ///
    /// - Throws: ``OpenFailure`` if another server has it; errors of connecting.
    func connect() throws -> PostgresConnection {
        let connection = try open()
        try claim.take(connection, within: .seconds(pool.address.timeout))
        return connection
    }

    /// Starts on a thread that it occupies until ``stop()``.
    ///
    /// - Parameters:
    ///   - connection: The one of ``connect()``.
    ///   - thread: The thread.
    func start(with connection: PostgresConnection, on thread: NIOThreadPool) {
        thread.submit { [self] _ in
            var first: PostgresConnection? = connection
            // Of an outage only the first failure and the end are logged: an attempt takes a fraction of a second.
            var isAway = false
            while !isStopped.load(ordering: .relaxed) {
                do {
                    let connection = try first.take() ?? open()
                    try listen(connection) {
                        if isAway { logger?.notice("The changes of other servers arrive again") }
                        isAway = false
                    }
                } catch {
                    guard !isStopped.load(ordering: .relaxed) else { return }
                    if !isAway {
                        logger?.warning("The changes of other servers do not arrive", metadata: ["error": "\(error)"])
                    }
                    isAway = true
                    claim.lose()
                    relay.feed.publishMissed()
                    ConnectionPool.pause()
                }
            }
        }
    }

    /// Ends within a fraction of a second.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    private func open() throws -> PostgresConnection {
        let connection = try pool.connect()
        connection.patience = ChangeListener.patience
        try connection.endQuicklyWhenLost()
        return connection
    }

    /// Relays the changes of other servers until the connection is lost.
    ///
    /// - Parameters:
    ///   - connection: A connection that nothing else uses.
    ///   - onArrival: Is called when the earlier changes have arrived.
    /// - Throws: The loss of the connection, and errors of the statements.
    private func listen(_ connection: PostgresConnection, onArrival: () -> Void) throws {
        connection.later("LISTEN \(ChangeListener.channel(pool.address).quotedName)")
        try connection.flush()
        logger?.debug("Listening for the changes of other servers")
        // What happened before the connection listened.
        try relay.relay(connection)
        onArrival()
        var nextRemoval = ContinuousClock.now + .seconds(60)
        while !isStopped.load(ordering: .relaxed) {
            try claim.renew(connection)
            var waited: CInt = 0
            while waited < ChangeListener.heartbeat, !isStopped.load(ordering: .relaxed) {
                if try connection.waitForNotification(except: relay.server, milliseconds: 200) { break }
                waited += 200
            }
            try relay.relay(connection)
            guard ContinuousClock.now > nextRemoval else { continue }
            let removed = try connection.run(
                """
                DELETE FROM change_log WHERE number IN (SELECT number FROM change_log \
                WHERE at < now() - \(ChangeListener.memory)::interval \
                AND number < (SELECT last_change FROM state) ORDER BY number LIMIT \(ChangeListener.maxRemovals))
                """
            ).changedCount
            if removed < ChangeListener.maxRemovals {
                nextRemoval = .now + .seconds(60)
                everyMinute()
            }
        }
    }
}

extension ConnectionPool {
    /// Waits a moment before the next attempt to connect; blocks.
    static func pause() { usleep(200_000) }
}
