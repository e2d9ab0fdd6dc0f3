/// A transaction in the table `change_log`.
struct LogEntry: Equatable, Sendable {
    /// Its number, without gaps; 0 before the first transaction.
    let number: Int64
    /// The server that wrote it, and its time in microseconds; `nil` if they are not known.
    ///
    /// They tell it from another transaction that gets the number after it was lost (``TimelineCheck``).
    var stamp: String?

    /// The stamp of a row of the log in SQL.
    static let stampExpression = "server || ' ' || (extract(epoch FROM at) * 1000000)::bigint"

    /// The time of the running transaction in SQL: the one that its row of the log gets.
    static let timeExpression = "(extract(epoch FROM now()) * 1000000)::bigint"
}

extension LogEntry {
    /// Creates the entry that a running transaction gets.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - server: The name of the server that runs it.
    ///   - time: The value of ``timeExpression``.
    init(number: Int64, of server: String, at time: String) {
        self.init(number: number, stamp: "\(server) \(time)")
    }

    /// A later entry of the same transaction.
    func advanced(by count: Int) -> LogEntry {
        LogEntry(number: number + Int64(count), stamp: stamp)
    }
}
