package import Domain
package import Logging
internal import NIOPosix

/// Objects in PostgreSQL, for any number of servers (docs/scale-out.md).
///
/// A table for each class contains the objects' JSON as SQLite does, and beside it what queries need.
package final class PostgresObjectStore: ObjectStore {
    package let changes = ChangeFeed()
    package let isShared: Bool
    /// The id of the schema, made at random with its tables: a schema that was created anew has another one.
    package let id: String
    package var coordination: (any ServerCoordination)? { isShared ? servers : nil }
    var address: PostgresAddress { pool.address }
    let pool: ConnectionPool
    private let claim: SchemaClaim
    private let servers: PostgresCoordination
    private let catalog: SharedPostgresCatalog
    let writer: PostgresWriter
    private let listener: ChangeListener
    private let builder: IndexBuilder
    /// Threads of look-ups, of queries, and two that write and listen.
    private let lookups: NIOThreadPool
    private let queries: NIOThreadPool
    private let own: NIOThreadPool

    /// How often a body runs again because other servers change the schemas.
    private static let maxTries = 8
    /// The connections beside those of reads: one that writes, one that listens, one with locks, one that builds indexes,
    /// and two of ``PostgresCoordination``.
    package static let ownConnections = 6

    /// Connects to the database, and creates or migrates the tables.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - known: The id that the schema must have; `nil` creates the schema if it does not exist.
    ///   - server: The name of this server in the log of changes, different from those of the others.
    ///   - use: Beside whom it uses the schema.
    ///   - readers: The maximum number of concurrent queries.
    ///   - lookups: That of reads of single objects; there are ``ownConnections`` more.
    ///   - quickIndexRows: The number of a class's objects up to which a new index of it is built inside a transaction,
    ///     which no other change of the app can overtake.
    ///   - commits: Receives the duration of each transaction with changes, from the wait for its turn to its commit.
    ///   - logger: Records losses of the connection.
    /// - Throws: ``OpenFailure``, whose message gives the reason why the server cannot start with it: another server has
    ///   the schema, for example.
    package init(
        _ address: PostgresAddress,
        expecting known: String? = nil,
        server: String = RandomString.alphanumeric(12),
        use: SchemaUse = .tool,
        readers: Int = 4,
        lookups: Int = 8,
        quickIndexRows: Int = 10_000,
        commits: DurationHistogram = DurationHistogram(.accesses),
        logger: Logger? = nil
    ) throws(OpenFailure) {
        pool = ConnectionPool(address)
        isShared = use != .exclusive
        claim = SchemaClaim(use, of: server, schema: address.schema, logger: logger)
        let connection: PostgresConnection
        do {
            catalog = try SharedPostgresCatalog(
                pool.withConnection { connection in
                    try SchemaMigration.run(connection, schema: address.schema, expecting: known)
                    return try PostgresCatalog(connection)
                }
            )
            let relay = ChangeRelay(feed: changes, server: server)
            let state = try pool.withConnection { connection in
                try connection.run(
                    """
                    SELECT last_change, id, \(sql: LogEntry.stampExpression) FROM identity, state \
                    LEFT JOIN change_log ON number = last_change
                    """
                )
            }
            relay.begin(after: state.integer(0, 0) ?? 0, stamped: state.text(0, 2))
            id = known ?? state.text(0, 1) ?? ""
            let timeline = TimelineCheck(relay, catalog, id: id, logger: logger)
            pool.onConnect { try timeline.begin($0) }
            (self.lookups, queries) = (
                NIOThreadPool(numberOfThreads: lookups), NIOThreadPool(numberOfThreads: readers)
            )
            own = NIOThreadPool(numberOfThreads: 2)
            servers = PostgresCoordination(pool, relay, claim)
            builder = IndexBuilder(pool, quickRows: quickIndexRows, logger: logger)
            writer = PostgresWriter(
                pool: pool,
                thread: own,
                catalog: catalog,
                relay: relay,
                id: id,
                claim: claim,
                builder: builder,
                commits: commits
            )
            listener = ChangeListener(pool: pool, relay: relay, claim: claim, logger: logger) { [builder] in
                builder.removeLeftovers()
            }
            connection = try listener.connect()
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be opened (\(error))")
        }
        for threads in [self.lookups, queries, own] { threads.start() }
        servers.start()
        builder.start()
        listener.start(with: connection, on: own)
    }

    /// Creates the classes that every app has, and adds their new fields and indexes.
    package func prepare() async throws {
        builder.removeLeftovers()
        try await write { writer in
            for schema in ClassSchema.builtIn {
                guard var known = try writer.schema(of: schema.name) else {
                    try writer.save(schema)
                    continue
                }
                let former = known
                known.fields.merge(schema.fields) { own, _ in own }
                known.indexes += schema.indexes.filter { !known.indexes.contains($0) }
                if known != former { try writer.save(known) }
            }
        }
    }

    /// Whether no class has an object.
    package func isEmpty() async throws -> Bool {
        try await read { reader in
            try reader.schemas().allSatisfy { schema in
                try reader.rows(ObjectQuery(schema.name, page: .first)).isEmpty
            }
        }
    }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await (budget == nil ? lookups : queries).runIfActive { [self] in
            do {
                try claim.require()
                guard let budget else { return try run(body, within: nil) }
                return try budget.counting { try run(body, within: budget) }
            } catch let error as PostgresError {
                throw error.translated
            }
        }
    }

    /// Runs a body in a snapshot, again if the schemas have changed meanwhile.
    private func run<Result>(
        _ body: (any ReadTransaction) throws -> Result,
        within budget: QueryBudget?
    ) throws -> Result {
        var canReadAlone = true
        for _ in 0..<PostgresObjectStore.maxTries {
            do {
                return try pool.withConnection(patience: .seconds(address.patience)) { connection in
                    let transaction = PostgresTransaction(
                        connection,
                        catalog.current,
                        within: budget,
                        readingAlone: canReadAlone
                    )
                    let result = Swift.Result { try body(transaction) }
                    // A body that needed only schemas has not compared their version yet.
                    try transaction.confirm()
                    let value = try result.get()
                    if transaction.hasBegun { try connection.finish("COMMIT") }
                    return value
                }
            } catch is PostgresTransaction.CatalogIsOld {
                try pool.withConnection(patience: .seconds(address.patience)) { _ = try catalog.refresh($0) }
            } catch is PostgresTransaction.SnapshotIsOld {
                canReadAlone = false
            }
        }
        throw ServiceError(.overloaded, "The schemas are changing; try again.")
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await writer.write { try body($0) }
        } catch let missing as MissingIndexes {
            return try await builder.build(missing) { [writer] in try await writer.write { try body($0) } }
        }
    }

    package func awaitRunningWrites() async { await writer.running.wait() }

    /// Ends all connections and threads; later calls throw.
    package func close() async throws {
        listener.stop()
        try await builder.close()
        pool.close()
        try await servers.close()
        for threads in [lookups, queries, own] { try await threads.shutdownGracefully() }
    }
}
