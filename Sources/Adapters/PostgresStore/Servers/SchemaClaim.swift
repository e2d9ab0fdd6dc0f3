internal import Domain
internal import Logging
internal import Synchronization

/// The right of a server to use a schema: alone, or beside others (docs/scale-out.md).
///
/// It is an advisory lock of the listening connection, exclusive or shared, so it ends with the server at once. A server
/// that loses the connection goes on, because a restart of the database must not end it; it takes the lock again when it
/// is connected. If another server came first, `state.holder` tells: each writing transaction compares it, inside the
/// turn, so no change is made beside a server that wants to be alone.
///
/// After a restore to a time before the start of a server that is alone, `state.holder` is the one that it replaced. If it
/// has the lock, no other server uses the schema, and it takes the schema again. It does not if it replaced `NULL`, which
/// is also what servers leave that have shared the schema since.
final class SchemaClaim: Sendable {
    private let use: SchemaUse
    /// The name of this server.
    private let server: String
    private let schema: String
    private let logger: Logger?
    /// Whether another server took the schema; until the end of this one.
    private let isTaken = Atomic(false)
    /// The holder that this server replaced when it took the schema alone; `nil` for none.
    private let former = Mutex<String?>(nil)
    /// Whether the listening connection has the lock.
    private let isLocked = Atomic(false)
    /// Whether a transaction has read the replaced holder since the last ``renew(_:)``.
    private let hasFoundFormer = Atomic(false)

    init(_ use: SchemaUse, of server: String, schema: String, logger: Logger? = nil) {
        self.use = use
        self.server = server
        self.schema = schema
        self.logger = logger
    }

    /// Takes the schema at the start of a server.
    ///
    /// A server that was killed a moment ago can still have the lock, so this waits as long as a connection attempt.
    ///
    /// - Parameters:
    ///   - connection: The listening connection.
    ///   - patience: How long it waits.
    /// - Throws: ``OpenFailure`` if another server has it.
    func take(_ connection: PostgresConnection, within patience: Duration) throws {
        guard use != .tool else { return }
        let end = ContinuousClock.now + patience
        while try !lock(connection) {
            guard ContinuousClock.now < end else { throw OpenFailure(message: refusal) }
            ConnectionPool.pause()
        }
        // No other server can write it while this one has the lock. A start beside others then waits for no turn, which a
        // long change of one of them can have, such as a new index.
        let name = use == .exclusive ? server : nil
        let known = try holder(connection)
        guard known != name else { return }
        if use == .exclusive { former.withLock { $0 = known } }
        try replace(known, by: name, connection)
    }

    private func holder(_ connection: PostgresConnection) throws -> String? {
        try connection.run("SELECT holder FROM state").text(0, 0)
    }

    /// Changes the holder inside the turn, so that it is before or behind each change of another server.
    private func replace(_ known: String?, by name: String?, _ connection: PostgresConnection) throws {
        connection.later("BEGIN")
        connection.takeTurn()
        let (before, after) = (known.map { Array($0.utf8) }, name.map { Array($0.utf8) })
        try connection.run(
            "UPDATE state SET holder = \(text: after) WHERE holder IS NOT DISTINCT FROM \(text: before)"
        )
        connection.later("COMMIT")
        try connection.flush()
    }

    /// Takes the lock again if a loss of the listening connection ended it, and the schema after a restore; called after
    /// each loss, and then periodically.
    ///
    /// A restore that ends no connections, such as a dump that is loaded in one transaction, leaves the lock.
    func renew(_ connection: PostgresConnection) throws {
        guard use != .tool else { return }
        let hadLock = isLocked.load(ordering: .relaxed)
        guard hasFoundFormer.exchange(false, ordering: .relaxed) || !hadLock else { return }
        // PostgreSQL counts the locks of a session, so it takes none that it has.
        let isAlone = try hadLock || lock(connection)
        let known = try holder(connection)
        guard isAlone, isFormer(known) else { return note(holder: known) }
        try replace(known, by: server, connection)
        logger?.warning(
            "The database is of a time before the start of this server, which goes on with it",
            metadata: ["schema": "\(schema)"]
        )
        note(holder: try holder(connection))
    }

    /// The listening connection is lost, and the lock with it.
    func lose() {
        isLocked.store(false, ordering: .relaxed)
    }

    /// Throws if another server took the schema: `holder` is `state.holder`, as a transaction reads it.
    func require(holder: String?) throws {
        guard !isFormer(holder) else {
            // Until the listening connection has found out whether another server uses the schema.
            hasFoundFormer.store(true, ordering: .relaxed)
            throw refusalOfCalls
        }
        note(holder: holder)
        try require()
    }

    /// Whether a holder is the one that this server replaced.
    private func isFormer(_ holder: String?) -> Bool {
        holder != nil && holder == former.withLock(\.self)
    }

    private func note(holder: String?) {
        guard use != .tool else { return }
        if holder != (use == .exclusive ? server : nil), !isTaken.exchange(true, ordering: .relaxed) {
            logger?.critical(
                "Another server uses or has used the database; this one stops using it: end others and restart this one",
                metadata: ["schema": "\(schema)"]
            )
        }
    }

    /// Throws if another server is known to have taken the schema.
    func require() throws {
        guard isTaken.load(ordering: .relaxed) else { return }
        throw refusalOfCalls
    }

    private var refusalOfCalls: ServiceError {
        ServiceError(.unavailable, "The server's database is used by another server.")
    }

    private func lock(_ connection: PostgresConnection) throws -> Bool {
        let function = use == .exclusive ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared"
        let result = try connection.run("SELECT \(sql: function)(hashtextextended(\(schema), 7527))")
        isLocked.store(result.boolean(0, 0), ordering: .relaxed)
        return result.boolean(0, 0)
    }

    private var refusal: String {
        use == .exclusive
            ? "is used by another server; with the blobs in its storage folder, a server must be the only one"
            : "is used by a server with the blobs in its storage folder, which must be the only one"
    }
}
