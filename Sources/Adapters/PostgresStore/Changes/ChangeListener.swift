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
    private let logger: Logger?
    private let isStopped = Atomic(false)

    /// The time after which the log is read without a notification, and the connection proved to be alive.
    private static let heartbeat: CInt = 2000
    /// How long the log keeps changes: a server that was cut off for longer is told that it missed some.
    private static let memory = "10 minutes"

    init(pool: ConnectionPool, relay: ChangeRelay, logger: Logger?) {
        self.pool = pool
        self.relay = relay
        self.logger = logger
    }

    /// The name under which PostgreSQL sends notifications: one for each schema.
    static func channel(_ address: PostgresAddress) -> String { "changes of \(address.schema)" }

    /// Starts on a thread that it occupies until ``stop()``.
    func start(on thread: NIOThreadPool) {
        thread.submit { [self] _ in
            while !isStopped.load(ordering: .relaxed) {
                do {
                    try listen()
                } catch {
                    guard !isStopped.load(ordering: .relaxed) else { return }
                    logger?.warning("The changes of other servers do not arrive", metadata: ["error": "\(error)"])
                    relay.feed.publishMissed()
                    pool.pause()
                }
            }
        }
    }

    /// Ends within a fraction of a second.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    private func listen() throws {
        let connection = try pool.connect()
        connection.later("LISTEN \(ChangeListener.channel(pool.address).quotedName)")
        try connection.flush()
        logger?.debug("Listening for the changes of other servers")
        // What happened before the connection listened.
        try relay.relay(connection)
        var lastRemoval = ContinuousClock.now
        while !isStopped.load(ordering: .relaxed) {
            var waited: CInt = 0
            while waited < ChangeListener.heartbeat, !isStopped.load(ordering: .relaxed) {
                if try connection.waitForNotification(except: relay.server, milliseconds: 200) { break }
                waited += 200
            }
            try relay.relay(connection)
            guard ContinuousClock.now - lastRemoval > .seconds(60) else { continue }
            lastRemoval = .now
            try connection.run("DELETE FROM change_log WHERE at < now() - \(ChangeListener.memory)::interval")
        }
    }
}

extension ConnectionPool {
    /// Waits a moment before the next attempt to connect; blocks.
    func pause() { usleep(200_000) }
}
