internal import Domain
internal import Synchronization

/// Publishes the committed changes of all servers in the order of their commits, each once.
///
/// The rows of the table `change_log` have numbers without gaps, because only one transaction at a time can write
/// (``PostgresWriter``). A transaction has one row; one with more than 4 MB has several (``LoggedChanges``). The writer
/// publishes this server's own changes from memory. Those of other servers are published when a notification arrives,
/// and before each own transaction.
final class ChangeRelay: Sendable {
    /// What this server knows of the log.
    struct Position: Sendable {
        /// The last published row: the last one of its transaction, unless other rows of it are published next.
        var entry: LogEntry
        /// The number of timelines that this server began (``TimelineCheck``).
        var timeline = 0
    }

    private struct State {
        var position = Position(entry: LogEntry(number: 0))
        /// Whether the writer publishes the next of this server's own transactions.
        var isCommitting = false
    }

    let feed: ChangeFeed
    /// The name of this server in the log.
    let server: String
    /// How long the database can be silent while the log is read.
    private let patience: Duration
    /// Held while changes are published, and never during a query.
    private let state = Mutex(State())

    /// The maximum number of rows read at a time, and the size in bytes after which no further row is read.
    private static let page = (count: 100, size: LoggedChange.maxSize)
    private static let lostTimeline = "the database has lost changes"

    init(feed: ChangeFeed, server: String, patience: Duration = .seconds(5)) {
        self.feed = feed
        self.server = server
        self.patience = patience
    }

    /// Begins after a transaction that happened before the start of this server.
    func begin(after number: Int64, stamped stamp: String? = nil) {
        state.withLock { $0.position.entry = LogEntry(number: number, stamp: stamp) }
    }

    /// Begins a new timeline with what the database has, unless another thread has done so.
    ///
    /// Subscribers hear that they missed changes before another thread sees the new timeline.
    ///
    /// - Parameters:
    ///   - entry: The last transaction of the database.
    ///   - lost: The position to replace.
    ///   - replaceCatalog: Replaces the catalog of the former timeline; gets the number of the new one.
    /// - Returns: Whether it is this thread that did it.
    func restart(after entry: LogEntry, insteadOf lost: Position, _ replaceCatalog: (Int) -> Void) -> Bool {
        state.withLock { state in
            guard state.position.timeline == lost.timeline else { return false }
            state.position = Position(entry: entry, timeline: lost.timeline + 1)
            replaceCatalog(lost.timeline + 1)
            feed.publishMissed()
            return true
        }
    }

    /// What is published.
    var position: Position { state.withLock(\.position) }

    /// The number of the last published transaction.
    var published: Int64 { position.entry.number }

    /// The number of the last published transaction, to be compared with numbers that were read on a connection.
    ///
    /// - Throws: A loss of the connection if it is of an earlier timeline, whose numbers mean other transactions.
    func publishedNumber(for connection: PostgresConnection) throws -> Int64 {
        let position = self.position
        guard connection.timeline == position.timeline else { throw connection.abandon(ChangeRelay.lostTimeline) }
        return position.entry.number
    }

    /// Announces that the writer sends a commit, and later calls ``publish(_:as:in:)`` or ``giveUp()``.
    func beginCommit() {
        state.withLock { $0.isCommitting = true }
    }

    /// Publishes the changes that the writer has committed.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - entry: The transaction; `nil` if it is not in the log.
    ///   - timeline: The timeline of the connection on which it was committed.
    func publish(_ changes: TransactionChanges, as entry: LogEntry?, in timeline: Int) {
        state.withLock { state in
            state.isCommitting = false
            if let entry {
                // If it is not lost, the log publishes it.
                guard timeline == state.position.timeline else { return feed.publishMissed() }
                // The log published it, because the result of the commit was unknown for too long.
                guard entry.number > state.position.entry.number else { return }
                state.position.entry = entry
            }
            feed.publish(changes)
        }
    }

    /// Leaves the publication to ``relay(_:)``, if the transaction was committed at all.
    func giveUp() {
        state.withLock { $0.isCommitting = false }
    }

    /// Publishes the transactions of the log that are not published yet, which it reads on a connection.
    ///
    /// All of them are published when it returns, unless the writer is about to publish the next one. The connection
    /// counts as lost if the database is silent, or has lost published transactions.
    func relay(_ connection: PostgresConnection) throws {
        let former = connection.patience
        connection.patience = patience
        defer { connection.patience = former }
        var isWhole = false
        while !isWhole { isWhole = try relayPage(connection) }
    }

    /// Publishes the next rows of the log; returns whether they were the last ones.
    ///
    /// After the last one that was published it reads as many as have a bounded size together, and at least one.
    ///
    /// The query runs without the lock, so a database that hangs stops no other thread. Another thread can read and
    /// publish the same transactions meanwhile: their numbers tell that they are published.
    private func relayPage(_ connection: PostgresConnection) throws -> Bool {
        let known = position.entry.number
        let own = "coalesce(octet_length(changes), 0)"
        let result = try connection.run(
            """
            SELECT last_change, number, server, stamp, changes FROM state LEFT JOIN (\
            SELECT *, sum(\(sql: own)) OVER (ORDER BY number) AS size FROM (\
            SELECT number, server, \(sql: LogEntry.stampExpression) AS stamp, changes FROM change_log \
            WHERE number > \(known) ORDER BY number LIMIT \(Int64(ChangeRelay.page.count))) AS page) AS next \
            ON size - \(sql: own) <= \(Int64(ChangeRelay.page.size)) ORDER BY number
            """
        )
        return try state.withLock { state in
            guard connection.timeline == state.position.timeline, let last = result.integer(0, 0), last >= known else {
                // The next connection finds out what the database has.
                throw connection.abandon(ChangeRelay.lostTimeline)
            }
            for row in 0..<result.count {
                let published = state.position.entry.number
                let number = result.integer(row, 1) ?? last
                guard number > published else { continue }
                if state.isCommitting, result.text(row, 2) == server { return true }
                // Transactions that were removed from the log before this server read them.
                let isMissing = number > published + 1 || result.isNull(row, 1)
                if isMissing { feed.publishMissed() }
                if !result.isNull(row, 1) { publish(result.bytes(row, 4)) }
                state.position.entry = LogEntry(number: number, stamp: result.text(row, 3))
            }
            return (result.integer(result.count - 1, 1) ?? last) >= last
        }
    }

    /// Publishes the changes of another server; `nil` if the log does not have them, as after a move.
    private func publish(_ text: [UInt8]?) {
        guard let text, let list = try? LoggedChange.list(text) else { return feed.publishMissed() }
        var changes = feed.transaction()
        for change in list {
            changes.record(
                change.kind,
                change.id,
                in: change.className,
                before: change.before.map { ObjectState($0) },
                after: change.after.map { ObjectState($0) }
            )
        }
        feed.publish(changes)
    }
}
