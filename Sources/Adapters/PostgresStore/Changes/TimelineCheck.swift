internal import Logging

/// Notices that the database has lost transactions that this server knows, and lets the server go on from what is left.
///
/// A fail-over to a replica that lacks the last transactions, and a restore to an earlier time, begin a new *timeline*, as
/// PostgreSQL calls it: other transactions get the numbers of the lost ones, and other schemas the versions of the catalog.
/// Both end all connections. So each new connection compares the last transaction that this server knows with the log, in
/// the exchange that prepares the session, and the connections of an earlier timeline are not used any more.
///
/// The log keeps changes for some minutes. After a longer time without the database, the last transaction that the server
/// knows can be missing for that reason alone. Then nothing proves that the schemas have not changed under the same
/// versions, so the server begins a new timeline in this case, too, but does not warn of a loss.
///
/// A schema with another id was created anew, and has nothing that the server could go on from: its connections are
/// refused. Those that are open already notice it before they write (``PostgresWriter``).
final class TimelineCheck: Sendable {
    private let relay: ChangeRelay
    private let catalog: SharedPostgresCatalog
    /// The id of the schema (``PostgresObjectStore/id``).
    private let id: String
    private let logger: Logger?

    /// Why a connection to a schema with another id counts as lost.
    static let otherSchema = "the schema was created anew, or is of another storage"

    init(_ relay: ChangeRelay, _ catalog: SharedPostgresCatalog, id: String, logger: Logger? = nil) {
        self.relay = relay
        self.catalog = catalog
        self.id = id
        self.logger = logger
    }

    /// Runs the first exchange of a new connection, and sets its timeline.
    ///
    /// - Throws: A loss of the connection if the schema has another id.
    func begin(_ connection: PostgresConnection) throws {
        while true {
            // Read before the query, so a database that has lost nothing has it.
            let known = relay.position
            let result = try connection.run(
                """
                SELECT last_change, \
                (SELECT \(sql: LogEntry.stampExpression) FROM change_log WHERE number = \(known.entry.number)), \
                (SELECT \(sql: LogEntry.stampExpression) FROM change_log WHERE number = last_change), \
                (SELECT id FROM identity) FROM state
                """
            )
            guard result.text(0, 3) ?? "" == id else {
                throw connection.abandon(TimelineCheck.otherSchema)
            }
            connection.timeline = known.timeline
            let last = LogEntry(number: result.integer(0, 0) ?? 0, stamp: result.text(0, 2))
            if last.number >= known.entry.number, known.entry.stamp == nil || known.entry.stamp == result.text(0, 1) {
                return
            }
            // Without the row, and with all rows after it, the log may only be too short.
            let isLost = last.number < known.entry.number || !result.isNull(0, 1)
            let left = try PostgresCatalog(connection)
            // Another thread can have done it; either way the check runs again, with what this server knows now.
            guard relay.restart(after: last, insteadOf: known, { catalog.publish(left, in: $0) }) else { continue }
            let message =
                isLost
                ? "The database lacks the last changes that this server knows; the server continues from those it has"
                : "The change log no longer contains the last change that this server knows; the server continues from "
                    + "the newest change"
            logger?.log(
                level: isLost ? .warning : .info,
                "\(message)",
                metadata: ["known": "\(known.entry.number)", "last": "\(last.number)"]
            )
        }
    }
}
