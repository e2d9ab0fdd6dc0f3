internal import Domain
internal import Logging
internal import NIOPosix
internal import Synchronization

/// Builds the indexes of classes with many objects, while reads and changes go on (docs/scale-out.md).
///
/// A transaction that saves a schema with such an index ends with ``MissingIndexes``. The builder builds the index
/// concurrently, and the body of the transaction runs again, which then only names it in the schema. Until that commit
/// the index is a leftover, which anyone who has the advisory lock of builders removes.
final class IndexBuilder: Sendable {
    private struct State {
        var isBusy = false
        /// The indexes that are built and that no schema names yet.
        var ready: Set<ClassIndex> = []

        /// Takes the right to use the thread; returns whether it was free.
        mutating func claim() -> Bool {
            defer { isBusy = true }
            return !isBusy
        }
    }

    /// The rows up to which an index is built in the transaction: that takes a fraction of a second.
    let quickRows: Int
    private let pool: ConnectionPool
    private let logger: Logger?
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let state = Mutex(State())
    private let isStopped = Atomic(false)

    /// Names of indexes that a schema names or named; those that every class has contain other letters.
    private static let pattern = "^class_[0-9]+_[0-9a-f]+$"

    init(_ pool: ConnectionPool, quickRows: Int, logger: Logger?) {
        self.pool = pool
        self.quickRows = quickRows
        self.logger = logger
    }

    /// The number of the lock that the one builder of all servers has; transactions that change indexes share it.
    var lockKey: SQL { "hashtextextended(\(pool.address.schema), 7530)" }

    /// How long statements wait for locks, but for those that set another time.
    var lockTime: String { pool.address.lockTime }

    /// Whether an index is built, and the body that wanted it can name it.
    func isReady(_ index: ClassIndex) -> Bool { state.withLock { $0.ready.contains(index) } }

    /// Builds indexes, and then runs a body that names them; removes them if it throws.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if another index is being built for too long,
    ///   ``ServiceError/Code/duplicateValue`` if a unique index finds equal values, and errors of the body.
    func build<Result: Sendable>(
        _ missing: MissingIndexes,
        then body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let connection = try await begin()
        defer { state.withLock { $0 = State() } }
        do {
            try await thread.runIfActive { [self] in try removeLeftovers(connection) }
            var wanted = missing.indexes
            while true {
                try await thread.runIfActive { [self, wanted] in try build(wanted, connection) }
                state.withLock { $0.ready.formUnion(wanted) }
                do {
                    let result = try await body()
                    await end(connection, removing: false)
                    return result
                } catch let further as MissingIndexes {
                    // One that is built cannot be missing, unless an operator removed it.
                    wanted = further.indexes.filter { !isReady($0) }
                    guard !wanted.isEmpty else { throw IndexBuilder.busy }
                }
            }
        } catch {
            await end(connection, removing: true)
            throw (error as? PostgresError)?.translated ?? error
        }
    }

    /// Removes indexes that a server which was killed has left, unless one is being built; in the background.
    func removeLeftovers() {
        guard state.withLock({ $0.claim() }) else { return }
        thread.submit { [self] poolState in
            defer { state.withLock { $0 = State() } }
            guard case .active = poolState else { return }
            // The next minute tries again.
            try? pool.withConnection(patience: .seconds(pool.address.patience)) { connection in
                connection.mustCancel = mustCancel
                defer { connection.mustCancel = nil }
                guard try !leftovers(connection).isEmpty, try lock(connection) else { return }
                defer { try? unlock(connection) }
                try removeLeftovers(connection)
            }
        }
    }

    func start() { thread.start() }

    /// Cancels an index that is being built, and ends the thread.
    func close() async throws {
        isStopped.store(true, ordering: .relaxed)
        try await thread.shutdownGracefully()
    }

    /// Waits for the lock, on a connection that has it until its end.
    private func begin() async throws -> PostgresConnection {
        var backoff = Backoff(first: .milliseconds(20), max: .milliseconds(500))
        let end = ContinuousClock.now + .seconds(pool.address.timeout)
        var connection: PostgresConnection?
        while true {
            if connection != nil || state.withLock({ $0.claim() }) {
                do {
                    let (open, isLocked) = try await thread.runIfActive { [self, connection] in
                        let open = try connection ?? connect()
                        return (open, try lock(open))
                    }
                    if isLocked { return open }
                    connection = open
                } catch {
                    state.withLock { $0 = State() }
                    throw (error as? PostgresError)?.translated ?? error
                }
            }
            do {
                guard ContinuousClock.now < end else { throw IndexBuilder.busy }
                try await Task.sleep(for: backoff.next())
            } catch {
                if connection != nil { state.withLock { $0 = State() } }
                throw error
            }
        }
    }

    /// The refusal while another index is being built.
    static let busy = ServiceError(.overloaded, "An index is being built; try again when it is ready.")

    private func connect() throws -> PostgresConnection {
        let connection = try pool.connect()
        try connection.endQuicklyWhenLost()
        connection.patience = .seconds(pool.address.patience)
        connection.mustCancel = mustCancel
        return connection
    }

    private var mustCancel: @Sendable () -> Bool {
        { [self] in isStopped.load(ordering: .relaxed) }
    }

    /// Tries, because a session that waits for the lock has a snapshot, for whose end the building would wait.
    private func lock(_ connection: PostgresConnection) throws -> Bool {
        try connection.run("SELECT pg_try_advisory_lock(\(lockKey))").boolean(0, 0)
    }

    private func unlock(_ connection: PostgresConnection) throws {
        try connection.run("SELECT pg_advisory_unlock(\(lockKey))")
    }

    private func build(_ indexes: [ClassIndex], _ connection: PostgresConnection) throws {
        // It waits for all transactions that are older than it, such as a dump.
        let patience = connection.patience
        connection.patience = nil
        defer { connection.patience = patience }
        connection.later("SET lock_timeout = 0")
        try connection.flush()
        // Another server can have built one meanwhile, and its schema names it.
        for index in indexes where try !index.isValid(connection) {
            let start = ContinuousClock.now
            logger?.info("Building an index", metadata: ["index": "\(index.fields)", "table": "\(index.table)"])
            do {
                // Alone, because it must not be part of a transaction or a pipeline.
                connection.later(index.statement(concurrently: true))
                try connection.flush()
            } catch let error as PostgresError where error.isDuplicate {
                throw ServiceError.duplicate(of: index.fields, cause: error)
            }
            logger?.info(
                "Built an index",
                metadata: ["index": "\(index.fields)", "table": "\(index.table)", "time": "\(.now - start)"]
            )
        }
        for table in Set(indexes.map(\.table)) {
            connection.later("ANALYZE \(table)")
            try connection.flush()
        }
    }

    /// Ends the work with a connection; it has no transaction.
    private func end(_ connection: PostgresConnection, removing: Bool) async {
        _ = try? await thread.runIfActive { [self] in
            guard !connection.isLost else { return }
            connection.forgetWaiting()
            if removing { try? removeLeftovers(connection) }
            try unlock(connection)
        }
    }

    /// The indexes of classes that no schema names.
    private func leftovers(_ connection: PostgresConnection) throws -> [String] {
        let catalog = try PostgresCatalog(connection)
        let named = Set(
            catalog.entries.values.flatMap { entry in
                entry.schema.indexes.map { ClassTable(entry.number).name(of: $0) }
            }
        )
        let result = try connection.run(
            """
            SELECT relname::text FROM pg_class WHERE relkind = 'i' AND relname ~ \(IndexBuilder.pattern) \
            AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = \(pool.address.schema))
            """
        )
        return (0..<result.count).compactMap { result.text($0, 0) }.filter { !named.contains($0) }
    }

    /// Removes them inside the turn, because a transaction could otherwise make an index of the same name meanwhile.
    private func removeLeftovers(_ connection: PostgresConnection) throws {
        guard try !leftovers(connection).isEmpty else { return }
        do {
            connection.later("BEGIN")
            // Queries on the class wait for as long.
            connection.later("SET LOCAL lock_timeout = '2s'")
            connection.takeTurn()
            try connection.flush()
            for name in try leftovers(connection) {
                logger?.notice("Removing an index whose building did not end", metadata: ["index": "\(name)"])
                try connection.run(SQL(text: "DROP INDEX \(name)"))
            }
            connection.later("COMMIT")
            try connection.flush()
        } catch {
            connection.forgetWaiting()
            connection.later("ROLLBACK")
            try? connection.flush()
            throw error
        }
    }
}

extension ServiceError {
    /// The refusal of a change of indexes while a dump, for example, reads the class for longer than the change waits.
    static func classInUse(cause: any Error) -> ServiceError {
        ServiceError(
            .overloaded,
            "The indexes cannot be changed while the class is being read, by a backup for example; try again later.",
            cause: cause
        )
    }
}
