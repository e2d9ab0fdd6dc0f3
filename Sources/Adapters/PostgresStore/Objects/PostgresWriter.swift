internal import Domain
internal import NIOPosix
internal import Synchronization

/// Runs the changes of this server, of which waiting ones share one transaction.
///
/// So they share one exchange for its begin, one for its end, and one sync of the database's log. What they write travels
/// with the next statement that has a result (``PostgresTransaction/isDeferring``).
///
/// A lock of the database, the *turn*, lets one transaction of all servers write at a time
/// (docs/decisions/0004-objects-in-postgresql.md). So bodies run as if one after the other, and the log of changes has
/// the order of the commits. Each body has its own savepoint, so that a failed one does not undo the others.
final class PostgresWriter: Sendable {
    /// Resumes a writer: with the error of the transaction, otherwise with the result of its body.
    private typealias Completion = @Sendable ((any Error)?) -> Void

    private struct Job: Sendable {
        let run: @Sendable (PostgresTransaction) -> Completion
        /// Fails the writer if the transaction could not begin.
        let refuse: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isRunning = false
    }

    /// The maximum number of writes in a transaction, which bounds the wait of the first.
    private static let groupSize = 128
    /// How often a group is tried.
    private static let maxTries = 4

    private let pool: ConnectionPool
    private let thread: NIOThreadPool
    private let catalog: SharedPostgresCatalog
    private let relay: ChangeRelay
    /// The id of the schema (``PostgresObjectStore/id``).
    private let id: String
    private let claim: SchemaClaim
    private let builder: IndexBuilder
    private let maxGroupTime: Duration
    private let commits: DurationHistogram
    private let state = Mutex(State())
    /// The transaction that records changes.
    let running = RunningTransaction()

    init(
        pool: ConnectionPool,
        thread: NIOThreadPool,
        catalog: SharedPostgresCatalog,
        relay: ChangeRelay,
        id: String,
        claim: SchemaClaim,
        builder: IndexBuilder,
        commits: DurationHistogram,
        maxGroupTime: Duration = .milliseconds(50)
    ) {
        self.pool = pool
        self.thread = thread
        self.catalog = catalog
        (self.relay, self.id) = (relay, id)
        self.claim = claim
        self.builder = builder
        self.maxGroupTime = maxGroupTime
        self.commits = commits
    }

    /// The number of writes that wait for a transaction.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a body with others in one transaction; on return its changes are durable.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let mustStart = state.withLock { state in
                let job = Job { transaction in
                    transaction.caller = nil
                    let result = Swift.Result { try transaction.attempt { try body(transaction) } }
                    return { failure in
                        // A body's own failure is more precise than that of the transaction.
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
            if mustStart { start() }
        }
    }

    private func start() {
        thread.submit { [self] poolState in
            while let group = nextGroup() {
                guard case .active = poolState else {
                    for job in group { job.refuse(PostgresError.unreachable(cause: PostgresError.loss("closed"))) }
                    continue
                }
                commit(group)
            }
        }
    }

    private func nextGroup() -> [Job]? {
        state.withLock { state in
            let group = Self.take(PostgresWriter.groupSize, from: &state)
            state.isRunning = !group.isEmpty
            return group.isEmpty ? nil : group
        }
    }

    private static func take(_ count: Int, from state: inout State) -> [Job] {
        let jobs = Array(state.waiting.prefix(count))
        state.waiting.removeFirst(jobs.count)
        return jobs
    }

    private func commit(_ first: [Job]) {
        var group = first
        var isDeferring = true
        var failure: any Error = PostgresError.loss("not tried")
        for attempt in 1...PostgresWriter.maxTries {
            do {
                try pool.withConnection(patience: .seconds(pool.address.patience)) { connection in
                    try run(&group, connection, deferring: isDeferring)
                }
                return
            } catch let error as PostgresConnection.DeferredFailure {
                // Nothing was committed; each body gets its own errors now.
                failure = error.cause
                // The entry of the log, which always waits, has failed.
                if !isDeferring, (error.cause as? PostgresError)?.isConflict != true { break }
                isDeferring = false
            } catch let error as PostgresError where error.isLoss || error.isConflict {
                // Nothing was committed, so the bodies can run again.
                failure = error
                if error.isLoss, attempt > 1 { break }
            } catch {
                failure = error
                break
            }
        }
        let refusal = (failure as? PostgresError)?.translated ?? failure
        for job in group { job.refuse(refusal) }
    }

    /// Runs a group in one transaction, with the writers that have come while it waited for the turn; throws if nothing of
    /// it was committed.
    private func run(_ group: inout [Job], _ connection: PostgresConnection, deferring isDeferring: Bool) throws {
        let asked = ContinuousClock.now
        let transaction = try begin(connection, deferring: isDeferring)
        defer { running.end() }
        group += state.withLock { [free = PostgresWriter.groupSize - group.count] in Self.take(free, from: &$0) }
        var completions: [Completion] = []
        let began = ContinuousClock.now
        for job in group {
            let isOver = ContinuousClock.now - began >= maxGroupTime || transaction.logged.size >= LoggedChange.maxSize
            if isOver, !completions.isEmpty { break }
            completions.append(job.run(transaction))
            if let failure = transaction.failure { throw failure }
        }
        let outcome = finish(transaction)
        switch outcome {
        case .success:
            if transaction.hasChanges { commits.record(.now - asked) }
            state.withLock { $0.waiting.insert(contentsOf: group.dropFirst(completions.count), at: 0) }
            for completion in completions { completion(nil) }
        case .failure(let error):
            throw error
        }
    }

    /// Waits for the turn, and begins.
    private func begin(_ connection: PostgresConnection, deferring: Bool) throws -> PostgresTransaction {
        connection.later("BEGIN ISOLATION LEVEL REPEATABLE READ")
        connection.takeTurn()
        let columns = "catalog_version, last_change, holder, \(LogEntry.timeExpression), (SELECT id FROM identity)"
        var row: PostgresResult?
        connection.later("SELECT \(columns) FROM state") { row = $0 }
        try connection.flush()
        // Before the holder, which is that of the other schema.
        guard row?.text(0, 4) ?? "" == id else { throw connection.abandon(TimelineCheck.otherSchema) }
        try claim.require(holder: row?.text(0, 2))
        let lastChange = row?.integer(0, 1) ?? 0
        var current = catalog.current
        if current.version != row?.integer(0, 0) ?? -1 { current = try catalog.refresh(connection) }
        // Throws if the connection, and perhaps the catalog, is of an earlier timeline.
        let published = try relay.publishedNumber(for: connection)
        // Subscribers hear of other servers' changes before those of this transaction.
        if published != lastChange { try relay.relay(connection) }
        running.begin()
        let changes = relay.feed.transaction()
        return PostgresTransaction(
            connection,
            current,
            building: builder,
            deferring: deferring,
            as: LogEntry(number: lastChange + 1, of: relay.server, at: row?.text(0, 3) ?? ""),
            recording: changes
        )
    }

    /// Commits; publishes the changes if that succeeded.
    private func finish(_ transaction: PostgresTransaction) -> Result<Void, any Error> {
        let connection = transaction.connection
        let rows = transaction.hasChanges ? transaction.logged.rows : []
        // The last row stands for the transaction: a server that has published it has published the others.
        let entry = rows.isEmpty ? nil : transaction.logEntry.advanced(by: rows.count - 1)
        do {
            if let entry {
                try log(rows, of: transaction, through: entry.number)
                relay.beginCommit()
            }
            connection.later("COMMIT")
            try connection.flush()
        } catch {
            guard let entry, (error as? PostgresError)?.isLoss == true else {
                relay.giveUp()
                return .failure(error)
            }
            switch isCommitted(entry.number) {
            case .success(true): break
            case .success(false):
                relay.giveUp()
                return .failure(error)
            case .failure(let failure):
                relay.giveUp()
                relay.feed.publishMissed()
                return .failure(failure)
            }
        }
        catalog.publish(transaction.catalog.committed, in: connection.timeline)
        relay.publish(transaction.changes, as: entry, in: connection.timeline)
        return .success(())
    }

    /// Adds the changes to the log, and notifies the other servers, with the next exchange.
    private func log(
        _ rows: [ArraySlice<LoggedChange>],
        of transaction: PostgresTransaction,
        through number: Int64
    ) throws {
        let connection = transaction.connection
        for (earlier, row) in zip(transaction.logEntry.number..., rows.dropLast()) {
            try connection.later(
                running: """
                    INSERT INTO change_log (number, server, changes) \
                    VALUES (\(earlier), \(relay.server), \(text: LoggedChange.encoded(row)))
                    """
            )
        }
        let changes = LoggedChange.encoded(rows.last ?? [])
        let callers: SQL = transaction.concernsCallers ? ", callers = \(number)" : ""
        let statement: SQL = """
            WITH next AS (UPDATE state SET last_change = \(number)\(callers)), \
            entry AS (INSERT INTO change_log (number, server, changes) \
            VALUES (\(number), \(relay.server), \(text: changes))) \
            SELECT pg_notify(\(ChangeListener.channel(pool.address)), \(relay.server))
            """
        try connection.later(running: statement)
    }

    /// Asks on a new connection whether the transaction with a number in the log of changes was committed; fails if that
    /// cannot be found out in time.
    ///
    /// The transaction had the turn. So it has ended once this one has the turn, and the log then has its number as one of
    /// this server, or never will. If the entry with the number is so old that it was removed, it is not known whose it was.
    func isCommitted(_ number: Int64) -> Result<Bool, any Error> {
        let end = ContinuousClock.now + .seconds(pool.address.timeout)
        var failure: any Error = PostgresError.loss("no answer to COMMIT")
        while ContinuousClock.now < end {
            do {
                let (last, server) = try pool.withConnection(patience: .seconds(pool.address.patience)) { connection in
                    connection.later("BEGIN")
                    connection.takeTurn()
                    let result = try connection.run(
                        "SELECT last_change, server FROM state LEFT JOIN change_log ON number = \(number)"
                    )
                    connection.later("COMMIT")
                    try connection.flush()
                    return (result.integer(0, 0) ?? 0, result.text(0, 1))
                }
                guard server != nil || last < number else { break }
                return .success(server == relay.server)
            } catch {
                failure = error
            }
            ConnectionPool.pause()
        }
        return .failure(PostgresError.unreachable(cause: failure))
    }
}
