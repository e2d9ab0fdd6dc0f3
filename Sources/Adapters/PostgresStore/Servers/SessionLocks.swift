internal import Domain
internal import NIOPosix
internal import Synchronization

/// Locks of names that several servers share: advisory locks of one connection, which end with it.
///
/// The connection is opened for the first lock. A name that another server has locked is tried again after a pause,
/// so one connection is enough, and a stop of the other server frees its names.
final class SessionLocks: Sendable {
    private let pool: ConnectionPool
    /// The one thread that uses the connection.
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let connection = Mutex<PostgresConnection?>(nil)

    /// How long a lock is tried.
    private static let limit = Duration.seconds(30)

    init(_ pool: ConnectionPool) {
        self.pool = pool
    }

    func start() {
        thread.start()
    }

    /// Locks all names or none; see ``ServerCoordination/lock(_:_:)``.
    func lock(_ names: [String], _ scope: LockScope) async throws {
        guard !names.isEmpty else { return }
        let end = ContinuousClock.now + SessionLocks.limit
        var backoff = Backoff(first: .milliseconds(5), max: .milliseconds(200))
        while try await !thread.runIfActive({ [self] in try tryLock(names, scope) }) {
            guard ContinuousClock.now < end else {
                throw ServiceError(.overloaded, "Another server is creating or removing this file; try again.")
            }
            try await Task.sleep(for: backoff.next())
        }
    }

    /// Ends locks, also in a cancelled task; without a connection they have ended.
    func unlock(_ names: [String], _ scope: LockScope) async {
        // A pool runs nothing for a cancelled task, and the names would stay locked until the server ends.
        await shieldedFromCancellation { [self] in
            // A failure has ended the connection, and the locks with it.
            _ = try? await thread.runIfActive { [self] in
                guard let open = connection.withLock(\.self), !open.isLost else { return }
                try using { connection in try unlock(names, scope, connection) }
            }
        }
    }

    /// Ends the thread and all locks.
    func close() async throws {
        try await thread.shutdownGracefully()
        connection.withLock { $0 = nil }
    }

    private func tryLock(_ names: [String], _ scope: LockScope) throws -> Bool {
        try using { connection in
            let key = key(of: "name", scope)
            let result = try connection.run(
                "SELECT name, pg_try_advisory_lock(\(key)) FROM unnest(\(names)) AS name"
            )
            let locked = (0..<result.count).filter { result.boolean($0, 1) }
            guard locked.count < names.count else { return true }
            // All or none, so that two servers that want the same names cannot wait for each other.
            try unlock(locked.compactMap { result.text($0, 0) }, scope, connection)
            return false
        }
    }

    private func unlock(_ names: [String], _ scope: LockScope, _ connection: PostgresConnection) throws {
        guard !names.isEmpty else { return }
        let key = key(of: "name", scope)
        try connection.run("SELECT pg_advisory_unlock(\(key)) FROM unnest(\(names)) AS name")
    }

    /// The number under which PostgreSQL knows a name; equal numbers of different names only make one wait for the other.
    private func key(of column: String, _ scope: LockScope) -> SQL {
        switch scope {
        case .app: "hashtextextended(\(pool.address.schema) || '/' || \(sql: column), 7528)"
        case .allApps: "hashtextextended(\(sql: column), 7529)"
        }
    }

    /// Runs a body with the connection; a lost one, and one whose state is unknown, is replaced by the next body.
    ///
    /// A connection can have ended while it was not used, as when the database restarts: then the body runs once more.
    private func using<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        do {
            if let open = connection.withLock(\.self), !open.isLost {
                do {
                    return try run(body, with: open)
                } catch let error as PostgresError where error.isLoss {
                    // The next connection is a new one.
                }
            }
            let new = try pool.connect()
            new.patience = .seconds(pool.address.timeout)
            try new.endQuicklyWhenLost()
            connection.withLock { $0 = new }
            return try run(body, with: new)
        } catch {
            throw (error as? PostgresError)?.translated ?? error
        }
    }

    private func run<Result>(
        _ body: (PostgresConnection) throws -> Result,
        with current: PostgresConnection
    ) throws -> Result {
        do {
            return try body(current)
        } catch {
            connection.withLock { $0 = nil }
            throw error
        }
    }
}

extension PostgresConnection {
    /// Lets the database end this session, and with it its locks, within half a minute after the network stops working:
    /// its own default is two hours.
    func endQuicklyWhenLost() throws {
        later("SET tcp_keepalives_idle = 10")
        later("SET tcp_keepalives_interval = 3")
        later("SET tcp_keepalives_count = 3")
        try flush()
    }
}
