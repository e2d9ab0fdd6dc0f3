/// The damage of the write-ahead log of a database that no server has open.
///
/// SQLite silently uses the intact beginning of such a log, and removes the log when it closes the database.
package enum DamagedLog: Sendable, Equatable, CustomStringConvertible {
    /// The log is damaged, but the database already contains all of it.
    case copied
    /// Acknowledged changes are missing, and why.
    case lost(String)

    /// The damage; continues "the database …".
    package var description: String {
        switch self {
        case .copied:
            "has a damaged write-ahead log; no change is lost, because the database contains all of it"
        case .lost(let reason):
            "has lost acknowledged changes: \(reason)"
        }
    }

    /// The description with what an operator can do.
    package var advice: String {
        switch self {
        case .copied:
            "\(description); a start of the server or a repair moves the log to another name"
        case .lost:
            "\(description); nothing was changed. Restore a backup, or set disk.lostCommits to accept to start with what "
                + "is left"
        }
    }
}

/// Compares the write-ahead logs of apps with the marks of their last commits.
package protocol LogInspection: Sendable {
    /// Looks at the write-ahead log of an app's database, before SQLite opens it.
    ///
    /// - Parameter folder: The app's folder; nothing in it is changed. A server that uses it can change the log and the
    ///   mark between the two reads, so only without a server a finding is certain.
    /// - Returns: The damage; `nil` if there is none, or if the database has no log of its own.
    /// - Throws: ``OpenFailure`` if a file cannot be read.
    func logDamage(in folder: String) throws(OpenFailure) -> DamagedLog?
}
