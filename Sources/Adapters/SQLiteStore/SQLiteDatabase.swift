internal import CSQLite
package import Domain
internal import GRDB
internal import GRDBSQLite
internal import Glibc

/// One app's database: a writer that syncs each transaction before it returns, and concurrent readers.
///
/// Any task can call it; the work runs on a queue of GRDB and on threads for reads, never on the cooperative pool. Only
/// look-ups that the cache of rows answers run on the task that calls.
package struct SQLiteDatabase: Sendable {
    let pool: DatabasePool
    let catalog: SharedCatalog
    /// The rows that were read by id.
    package let rows: RowCache
    let queries: QuerySupport
    let changes = ChangeFeed()
    let writes: GroupCommit
    /// The threads of reads; `nil` if they run on GRDB's queues.
    let readThreads: ReadThreads?
    private let watch: CommitWatch
    private let file: DatabaseFile
    /// Copy the frames of commits for the continuous backup.
    var captures: LogCaptures { watch.captures }

    /// The version of SQLite that is loaded, such as `3.40.1`.
    package static var libraryVersion: String { sqlite3_libversion().map { String(cString: $0) } ?? "unknown" }

    /// Opens the database at a path, creates it if it does not exist, and migrates its schema.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - readers: The maximum number of concurrent queries; two more connections are for reads of single objects.
    ///   - cacheSize: The maximum size of the pages that each connection caches, in bytes.
    ///   - rowCache: The maximum memory of cached rows in bytes, from which reads by id are answered; 0 for no cache.
    ///   - maxGroupTime: The time for which one transaction takes further waiting changes, each with its own savepoint.
    ///   - health: Receives reports of storage faults, and decides whether data can be added.
    ///   - commits: Receives the duration of each transaction with changes, from its begin to the end of the sync.
    ///   - readThreads: The threads that run reads; with `nil`, they run on queues of GRDB.
    ///   - acceptsLostCommits: Whether the database is opened although acknowledged transactions are missing in its
    ///     write-ahead log; the log is then saved beside it, and `health` has a report of damage.
    /// - Throws: ``OpenFailure``, whose message gives the reason why the server cannot start with it.
    package init(
        path: String,
        readers: Int = 4,
        cacheSize: Int = 16 << 20,
        rowCache: Int = 16 << 20,
        maxGroupTime: Duration = .milliseconds(50),
        health: StorageHealth = StorageHealth(),
        commits: DurationHistogram = DurationHistogram(.accesses),
        readThreads: ReadThreads? = nil,
        acceptsLostCommits: Bool = false
    ) throws(OpenFailure) {
        self.readThreads = readThreads
        // Before the first connection; without it, writes only take longer.
        _ = SQLiteDatabase.hasLargeSavepoints
        rows = RowCache(bound: rowCache)
        try LogRescue(database: path, acceptsLoss: acceptsLostCommits, health: health).run()
        let watch = CommitWatch(database: path)
        self.watch = watch
        let file = DatabaseFile(at: path)
        self.file = file
        do {
            try DatabaseCopy.refuseNewer(path)
            let functions = QueryFunctions()
            pool = try DatabasePool(
                path: path,
                configuration: SQLiteDatabase.configuration(readers, cacheSize, functions, watch, file)
            )
            // With FULL, a confirmed write survives a power cut. It is set here, because GRDB sets NORMAL when it opens
            // the writer, which syncs only at checkpoints; the writer is one permanent connection.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            // The log of a server that was killed can have commits whose sync failed: they are read from memory that the
            // system will not write again. What counts from now on is synced here. On a full disk this can fail, and
            // the first transaction that frees space does it (``GroupCommit``).
            _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try DatabaseMigrator.lcfile.migrate(pool)
            catalog = SharedCatalog(try pool.read { try Catalog($0) })
            queries = QuerySupport(functions: functions, shapes: StatementShapes(pool: pool), health: health)
            writes = GroupCommit(
                pool: pool,
                file: file,
                catalog: catalog,
                rows: rows,
                captures: watch.captures,
                queries: queries,
                changes: changes,
                maxGroupTime: maxGroupTime,
                commits: commits
            )
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            let advice =
                switch (error as? DatabaseError).flatMap(SQLiteFailure.fault(of:)) {
                case .full: ", because the disk is full; free some space"
                case .readOnly: ", because the file system is read-only"
                case .damaged: ", because it is damaged; restore a backup"
                case nil where error is DamagedCatalog: ", because it is damaged; restore a backup"
                default: ""
                }
            throw OpenFailure(message: "cannot be opened as a database\(advice) (\(error))")
        }
    }

    /// The sizes in bytes of the database's file and of its write-ahead log; 0 for a file that does not exist.
    package var sizes: (database: Int64, log: Int64) {
        func size(_ path: String) -> Int64 {
            var status = stat()
            return stat(path, &status) == 0 ? Int64(status.st_size) : 0
        }
        return (size(pool.path), size(pool.path + "-wal"))
    }

    /// What is wrong if the database's file was removed or replaced since it was opened; blocks for one system call.
    package var displacement: StorageDisplacement? { file.displacement }

    /// Closes every connection; later calls throw.
    package func close() throws {
        _ = try? pool.writeWithoutTransaction { db in
            // The mark goes first, because a log that is missing beside a mark counts as lost.
            try watch.stop(on: db, isDisplaced: file.displacement != nil)
            // Frees the log's space, for a full disk. If this fails, the log stays valid.
            _ = try? db.checkpoint(.truncate)
        }
        try pool.close()
    }

    /// Whether SQLite keeps what a savepoint changes in memory up to 120 KB, which are 29 pages, instead of 64 KB; set by
    /// the first database of the process.
    ///
    /// Each writer of a group has a savepoint (``GroupCommit``), for which SQLite copies every page before it changes it.
    /// An upload changes about twenty, so with the default it created a temporary file for most groups and wrote each
    /// further page of the group to it. The first write to such a file is of all that is in memory, and SQLite's writes
    /// have less than 128 KB: with more it reports a full disk.
    private static let hasLargeSavepoints = csqlite_keep_statement_journals(120 << 10) == SQLITE_OK

    /// Connections that queries do not use (``QueryAdmission``), so that a read of an object by its id never waits for
    /// them.
    private static let lookupReaders = 2

    private static func configuration(
        _ readers: Int,
        _ cacheSize: Int,
        _ functions: QueryFunctions,
        _ watch: CommitWatch,
        _ file: DatabaseFile
    ) -> Configuration {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers + lookupReaders
        configuration.busyMode = .timeout(5)
        configuration.label = "lcfile.database"
        configuration.prepareDatabase { db in
            // GRDB opens readers by path when it needs them, so one could open a replacement. It is refused before its
            // first read, because a read would use the log and the shared memory of the original; GRDB closes it.
            if db.configuration.readonly {
                if let displacement = file.displacement { throw displacement }
            } else {
                file.remember()
            }
            try functions.add(to: db)
            try RowChecksum.add(to: db)
            // A negative value is in KiB. SQLite's default of 2 MB is less than the upper levels of a large class's
            // indexes.
            try db.execute(sql: "PRAGMA cache_size = -\(max(1, cacheSize >> 10))")
            if !db.configuration.readonly { watch.install(on: db) }
        }
        return configuration
    }
}
