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
    private let state = Mutex(State())
    /// ``State/published`` for readers that do not wait for a query under the lock.
    private let lastPublished = Atomic<Int64>(0)

    private static let pageSize = 100

    init(feed: ChangeFeed, server: String) {
        self.feed = feed
        self.server = server
    }

    /// Begins after a transaction that happened before the start of this server.
    func begin(after number: Int64) {
        state.withLock { advance(&$0, to: number) }
    }

    /// The number of the last published transaction.
    var published: Int64 { lastPublished.load(ordering: .acquiring) }

    /// Called after the publication.
    private func advance(_ state: inout State, to number: Int64) {
        state.published = number
        lastPublished.store(number, ordering: .releasing)
    }

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
                feed.publish(changes)
                return advance(&state, to: number)
            }
            feed.publish(changes)
        }
    }

    /// Leaves the publication to ``relay(_:)``, if the transaction was committed at all.
    func giveUp() {
        state.withLock { $0.isCommitting = false }
    }

    /// Publishes the transactions of the log that are not published yet, which it reads on a connection.
    func relay(_ connection: PostgresConnection) throws {
        try state.withLock { state in
            var isWhole = false
            while !isWhole {
                let result = try connection.run(
                    """
                    SELECT last_change, number, server, changes FROM state LEFT JOIN (\
                    SELECT number, server, changes FROM change_log WHERE number > \(state.published) \
                    ORDER BY number LIMIT \(Int64(ChangeRelay.pageSize))) AS next ON true ORDER BY number
                    """
                )
                isWhole = result.count < ChangeRelay.pageSize
                for row in 0..<result.count {
                    guard let number = result.integer(row, 1) ?? result.integer(row, 0), number > state.published else {
                        continue
                    }
                    if state.isCommitting, result.text(row, 2) == server { return }
                    // Transactions that were removed from the log before this server read them.
                    let isMissing = number > state.published + 1 || result.isNull(row, 1)
                    if isMissing { feed.publishMissed() }
                    if !result.isNull(row, 1) { publish(result.bytes(row, 3)) }
                    advance(&state, to: number)
                }
            }
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
