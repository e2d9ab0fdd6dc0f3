internal import Domain
internal import Glibc

/// Compares the write-ahead log with the mark of the last commit before a database is opened: finds acknowledged
/// transactions that SQLite would drop silently.
enum LostCommits {
    /// The result of a comparison.
    enum Finding: Equatable {
        /// The log has all acknowledged transactions, or it is unknown.
        case none
        /// The log is damaged, but the database already contains all of it.
        case damagedCopy
        /// Frames of acknowledged transactions are missing.
        case lost(String)
    }

    /// Reads a database's log and mark; changes nothing.
    ///
    /// - Throws: ``SystemFailure`` if one of them cannot be read.
    static func look(at database: String) throws -> Finding {
        guard let found = try CommitMarkFile.read(of: database) else { return .none }
        let mark = found.mark
        guard let reader = try WALReader(database + "-wal") else {
            if try isAsNew(database, as: found.written) { return .none }
            if mark.checkpointed == mark.end.frames { return exists(database + "-wal") ? .damagedCopy : .none }
            return .lost("the write-ahead log is missing or has a damaged header")
        }
        guard reader.header.salts == mark.end.salts else {
            // The log was begun anew after the mark, which SQLite does when the database contains all of it.
            if reader.header.salts.follow(mark.end.salts) { return .none }
            if try isAsNew(database, as: found.written) { return .none }
            return .lost("the write-ahead log is another one than that of the last commit")
        }
        var committed: UInt32 = 0
        while reader.count < mark.end.frames, let frame = try reader.next({ frame, _ in frame }) {
            if frame.isCommit { committed = frame.number }
        }
        guard committed < mark.end.frames else { return .none }
        if mark.checkpointed == mark.end.frames { return .damagedCopy }
        return .lost(
            "frame \(reader.count + 1) of the write-ahead log is damaged: SQLite would take \(committed) of "
                + "\(mark.end.frames) frames"
        )
    }

    /// Whether a file was changed after a time, or in the same moment.
    ///
    /// Each way to a mark that is older than the log's removal changes the database: another program, such as an earlier
    /// version of lcfile, copied the log into it and removed the log, or a backup was put in its place.
    private static func isAsNew(_ path: String, as time: timespec) throws(SystemFailure) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // Without the database there is nothing to lose.
            if errno == ENOENT { return true }
            throw SystemFailure(number: errno)
        }
        let changed = status.st_mtim
        // Equal, too: the times of files are those of the kernel's last tick, milliseconds apart, and on a full disk the
        // log is copied into the database right behind the mark.
        return (changed.tv_sec, changed.tv_nsec) >= (time.tv_sec, time.tv_nsec)
    }

    private static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }
}
