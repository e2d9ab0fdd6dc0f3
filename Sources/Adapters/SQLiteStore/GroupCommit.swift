internal import Domain
internal import GRDB
internal import Synchronization

/// Lets waiting writers share one transaction, and so one sync of the disk.
///
/// While a transaction is written and synced, further writes queue up; the next transaction takes all of them. Each has
/// its own savepoint, so that a failed one does not undo the others. Writers return only after the sync.
final class GroupCommit: Sendable {
    /// Resumes a writer: with the error of the commit, otherwise with the result of its body.
    private typealias Completion = @Sendable ((any Error)?) -> Void

    private struct Job: Sendable {
        let run: @Sendable (SQLiteTransaction) -> Completion
        /// Fails the writer if the transaction could not begin.
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isRunning = false
        /// Whether the log can contain the frames of a commit that failed.
        var isUncertain = false
    }

    /// The maximum number of writes in a transaction, which bounds the wait of the first.
    private static let groupSize = 256

    private let pool: DatabasePool
    private let file: DatabaseFile
    private let catalog: SharedCatalog
    private let rows: RowCache
    private let captures: LogCaptures
    private let queries: QuerySupport
    private let changes: ChangeFeed
    /// The time for which a transaction takes further writes, which also bounds the wait of the first.
    private let maxGroupTime: Duration
    private let commits: DurationHistogram
    private var health: StorageHealth { queries.health }
    private let state = Mutex(State())

    init(
        pool: DatabasePool,
        file: DatabaseFile,
        catalog: SharedCatalog,
        rows: RowCache,
        captures: LogCaptures,
        queries: QuerySupport,
        changes: ChangeFeed,
        maxGroupTime: Duration,
        commits: DurationHistogram
    ) {
        self.commits = commits
        self.pool = pool
        self.file = file
        self.catalog = catalog
        self.rows = rows
        self.captures = captures
        self.queries = queries
        self.changes = changes
        self.maxGroupTime = maxGroupTime
    }

    /// The number of writers that wait for their group; for tests.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a body with others in one transaction; on return its changes are durable.
    ///
    /// Bodies run one after the other.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let mustStart = state.withLock { state in
                let job = Job { [health] transaction in
                    let result = Swift.Result {
                        try health.reporting {
                            transaction.caller = nil
                            return try transaction.attempt { try body(transaction) }
                        }
                    }
                    return { failure in
                        // A writer's own failure is more precise than that of the commit, which it may have caused.
                        if case .success = result, let failure {
                            continuation.resume(throwing: failure)
                        } else {
                            continuation.resume(with: result)
                        }
                    }
                } refuse: { failure in
                    continuation.resume(throwing: failure)
                }
                state.waiting.append(job)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if mustStart { scheduleNextGroup() }
        }
    }

    private func scheduleNextGroup() {
        pool.asyncWriteWithoutTransaction { [self] db in
            let group = state.withLock { state in
                let group = Array(state.waiting.prefix(GroupCommit.groupSize))
                state.waiting.removeFirst(group.count)
                state.isRunning = !group.isEmpty
                return group
            }
            guard !group.isEmpty else { return }
            commit(group, db)
            scheduleNextGroup()
        }
    }

    /// Requires that what the group writes will be found at the next start.
    ///
    /// - Throws: ``StorageDisplacement/refusal``.
    private func requireFile() throws {
        try health.requireFolder()
        // For each group, and not only in the storage's inspection, so that no later change is acknowledged.
        if let displacement = file.displacement { throw displacement.refusal }
    }

    private func commit(_ group: [Job], _ db: Database, isRepeated: Bool = false) {
        do {
            try requireFile()
        } catch {
            let refusal = health.reported(error)
            for job in group { job.refuse(refusal) }
            return
        }
        let transaction = SQLiteTransaction(db, catalog.current, queries, recording: changes.transaction())
        var completions: [Completion] = []
        // At the end, so that no row is cached that is newer than the published classes.
        defer { rows.didCommit() }
        do {
            try seal(db)
            let began = ContinuousClock.now
            try db.inTransaction(.immediate) {
                for job in group {
                    let isOver = ContinuousClock.now - began >= maxGroupTime || transaction.changes.isLarge
                    if isOver, !completions.isEmpty { break }
                    completions.append(job.run(transaction))
                    // A full disk and an I/O error roll back the whole transaction, including the changes of other
                    // writers.
                    if !db.isInsideTransaction { throw transaction.fault ?? DatabaseError(resultCode: .SQLITE_ABORT) }
                }
                rows.willCommit(transaction.changed)
                return .commit
            }
            commits.record(.now - began)
            // After a limit no further job begins, so those that did not run are the last of the group.
            state.withLock { $0.waiting.insert(contentsOf: group.dropFirst(completions.count), at: 0) }
            catalog.publish(transaction.catalog)
            // Before the next group begins and before the writers get their results: a client that has its response
            // must find the caches updated.
            changes.publish(transaction.changes)
            for completion in completions { completion(nil) }
            if health.isFull { emptyLog(db) }
        } catch {
            let failure = health.reported(SQLiteFailure.translated(error))
            state.withLock { $0.isUncertain = true }
            // The report has released the reserve: additions of data are now refused, and deletions have space.
            if !isRepeated, StorageFault(failure) == .full {
                // It needs one page; the copy of the log can take all of a small reserve.
                try? seal(db)
                emptyLog(db)
                return commit(group, db, isRepeated: true)
            }
            // Before the writers get their error, so that it is final; if it fails, the next group tries again.
            try? seal(db)
            for job in group.dropFirst(completions.count) { job.refuse(failure) }
            for completion in completions { completion(failure) }
        }
    }

    /// Makes the failure of the last commit final.
    ///
    /// A commit whose sync failed has its frames in the log. SQLite forgets them and overwrites them with the next
    /// commit; but if the server is killed before, recovery finds them valid, and the change comes back although its
    /// writer got an error. So the first commit after a failure is one that changes nothing: its frame takes the place
    /// of the first of them, and the checksums of those behind it do not match any more. No writer runs before it.
    private func seal(_ db: Database) throws {
        guard state.withLock(\.isUncertain) else { return }
        try db.inTransaction(.immediate) {
            // Writes the first page, also if the number is the same.
            try db.execute(sql: "PRAGMA user_version = 0")
            return .commit
        }
        state.withLock { $0.isUncertain = false }
    }

    /// Copies the write-ahead log into the database, so that the next transaction begins at the log's start.
    ///
    /// Then the log does not grow. By default, SQLite does so only after a thousand pages, which can exceed the free
    /// space of a full disk.
    private func emptyLog(_ db: Database) {
        // The next transaction can overwrite the log.
        captures.advance()
        // If a reader blocks it, or there is no space for it either, the next commit tries again.
        _ = try? db.checkpoint(.passive)
    }
}

/// The catalog after the last commit, for new transactions.
final class SharedCatalog: Sendable {
    private let catalog: Mutex<Catalog>

    init(_ catalog: Catalog) {
        self.catalog = Mutex(catalog)
    }

    var current: Catalog { catalog.withLock { $0 } }

    func publish(_ new: Catalog) {
        catalog.withLock { $0 = new }
    }
}
