internal import Domain
internal import Synchronization

/// Publishes the committed changes of all servers in the order of their commits, each once.
///
/// The table `change_log` numbers the transactions without gaps, because only one at a time can write
/// (``PostgresWriter``). This server's own changes are published from memory by the writer, and those of other servers
/// when a notification arrives, and before each own transaction.
final class ChangeRelay: Sendable {
    private struct State {
        /// The number of the last published transaction.
        var published: Int64 = 0
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

    private static let pageSize = 100

    init(feed: ChangeFeed, server: String, patience: Duration = .seconds(5)) {
        self.feed = feed
        self.server = server
        self.patience = patience
    }

    /// Begins after a transaction that happened before the start of this server.
    func begin(after number: Int64) {
        state.withLock { $0.published = number }
    }

    /// The number of the last published transaction.
    var published: Int64 { state.withLock(\.published) }

    /// Announces that the writer sends a commit, and later calls ``publish(_:as:)`` or ``giveUp()``.
    func beginCommit() {
        state.withLock { $0.isCommitting = true }
    }

    /// Publishes the changes that the writer has committed.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - number: The number of the transaction; `nil` if it is not in the log.
    func publish(_ changes: TransactionChanges, as number: Int64?) {
        state.withLock { state in
            state.isCommitting = false
            if let number {
                // The log published it, because the result of the commit was unknown for too long.
                guard number > state.published else { return }
                state.published = number
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
    /// counts as lost if the database is silent.
    func relay(_ connection: PostgresConnection) throws {
        let former = connection.patience
        connection.patience = patience
        defer { connection.patience = former }
        var isWhole = false
        while !isWhole { isWhole = try relayPage(connection) }
    }

    /// Publishes the next transactions of the log; returns whether they were the last ones.
    ///
    /// The query runs without the lock, so a database that hangs stops no other thread. Another thread can read and
    /// publish the same transactions meanwhile: their numbers tell that they are published.
    private func relayPage(_ connection: PostgresConnection) throws -> Bool {
        let result = try connection.run(
            """
            SELECT last_change, number, server, changes FROM state LEFT JOIN (\
            SELECT number, server, changes FROM change_log WHERE number > \(published) \
            ORDER BY number LIMIT \(Int64(ChangeRelay.pageSize))) AS next ON true ORDER BY number
            """
        )
        return state.withLock { state in
            for row in 0..<result.count {
                guard let number = result.integer(row, 1) ?? result.integer(row, 0), number > state.published else {
                    continue
                }
                if state.isCommitting, result.text(row, 2) == server { return true }
                // Transactions that were removed from the log before this server read them.
                let isMissing = number > state.published + 1 || result.isNull(row, 1)
                if isMissing { feed.publishMissed() }
                if !result.isNull(row, 1) { publish(result.bytes(row, 3)) }
                state.published = number
            }
            return result.count < ChangeRelay.pageSize
        }
    }

    /// Publishes the changes of another server; `nil` if they were too large for the log.
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
