package import Domain
internal import GRDB

/// One app's database: a writer that syncs before it answers, and readers beside it.
///
/// Calls may come from any task; the work runs on queues of GRDB and threads for queries, never on the cooperative
/// pool.
package struct SQLiteDatabase: Sendable {
    let pool: DatabasePool
    let catalog: SharedCatalog
    let queries: QuerySupport
    let changes = ChangeFeed()
    let writes: GroupCommit
    /// The threads of queries, if they have any of their own.
    let queryThreads: QueryThreads?

    /// Opens the database at a path, makes it if there is none, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - readers: How many queries may read at the same time; two more connections are for reads of single objects.
    ///   - cacheSize: The most bytes of pages that each connection keeps in memory.
    ///   - maxGroupTime: How long one transaction takes further changes that wait, each behind a savepoint.
    ///   - health: Is told of faults of the storage, and says whether data may be added.
    ///   - queryThreads: Where queries run; without them, on queues of GRDB like all else.
    /// - Throws: ``OpenFailure``, whose message says why the server cannot start on it.
    package init(
        path: String,
        readers: Int = 4,
        cacheSize: Int = 16 << 20,
        maxGroupTime: Duration = .milliseconds(50),
        health: StorageHealth = StorageHealth(),
        queryThreads: QueryThreads? = nil
    ) throws(OpenFailure) {
        self.queryThreads = queryThreads
        do {
            let functions = QueryFunctions()
            pool = try DatabasePool(
                path: path,
                configuration: SQLiteDatabase.configuration(readers, cacheSize, functions)
            )
            // An answered write survives a power cut. It is said here, because GRDB sets NORMAL when it opens the
            // writer, which syncs only at checkpoints; the writer is one connection that stays.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let migrator = DatabaseMigrator.lcfile
            guard try pool.read(migrator.hasBeenSuperseded) == false else {
                throw OpenFailure(message: "was written by a newer version of lcfile; start that version instead")
            }
            try migrator.migrate(pool)
            catalog = SharedCatalog(try pool.read { try Catalog($0) })
            queries = QuerySupport(functions: functions, shapes: StatementShapes(pool: pool), health: health)
            writes = GroupCommit(
                pool: pool,
                catalog: catalog,
                queries: queries,
                changes: changes,
                maxGroupTime: maxGroupTime
            )
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            let advice =
                switch (error as? DatabaseError).flatMap(SQLiteFailure.fault(of:)) {
                case .full: ", because the disk is full; free some space"
                case .readOnly: ", because the file system is read-only"
                case .damaged: ", because it is damaged; restore a backup"
                default: ""
                }
            throw OpenFailure(message: "cannot be opened as a database\(advice) (\(error))")
        }
    }

    /// Closes every connection; later calls throw.
    package func close() throws {
        // So that the log's space is free, if the disk is full. The log stays valid where this fails.
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try pool.close()
    }

    /// Connections that queries leave free (``QueryAdmission``), so that an object by its id never waits for them.
    private static let lookupReaders = 2

    private static func configuration(
        _ readers: Int,
        _ cacheSize: Int,
        _ functions: QueryFunctions
    ) -> Configuration {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers + lookupReaders
        configuration.busyMode = .timeout(5)
        configuration.label = "lcfile.database"
        configuration.prepareDatabase { db in
            functions.add(to: db)
            // In KiB when negative. SQLite's own 2 MB are less than the upper levels of a large class's indexes.
            try db.execute(sql: "PRAGMA cache_size = -\(max(1, cacheSize >> 10))")
        }
        return configuration
    }
}
