internal import Domain
internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import Synchronization

/// Follows the commits of a database's writer: keeps the ``CommitMark`` up to date, and copies a grown log into the
/// database.
///
/// SQLite calls it after each commit, when the transaction is synced and before its writers are answered. So the mark is
/// never ahead of the disk, and it needs no sync of its own: after `kill -9` the kernel has it, and after a power loss it
/// can only be older.
final class CommitWatch: Sendable {
    private struct State {
        var mark: CommitMark?
        var log: LogDescriptor?
        var file: LogDescriptor?
    }

    private let database: String
    /// Copy the frames of commits for the continuous backup; the watch tells them of commits and of checkpoints.
    let captures: LogCaptures
    /// Outside the calls of SQLite only ``stop()`` uses it.
    private let state = Mutex(State())

    /// The frames after which the log is copied into the database, SQLite's own default.
    static let checkpointFrames: CInt = 1000

    /// Creates the watch of a database; ``install(on:)`` starts it.
    init(database: String) {
        self.database = database
        captures = LogCaptures(database: database)
    }

    /// Makes SQLite call the watch after each commit of a connection; replaces SQLite's own checkpoints.
    ///
    /// The watch must live as long as the connection: the connection's configuration holds it.
    func install(on db: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let hook: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt = {
            context,
            connection,
            name,
            frames in
            guard let context else { return SQLITE_OK }
            Unmanaged<CommitWatch>.fromOpaque(context).takeUnretainedValue().committed(connection, name, frames)
            // Another result would be an error of a transaction that is committed.
            return SQLITE_OK
        }
        _ = sqlite3_wal_hook(db.sqliteConnection, hook, context)
    }

    /// Removes the mark before the log is removed; later commits are not marked, and not captured.
    ///
    /// - Parameters:
    ///   - db: The connection of the writer.
    ///   - isDisplaced: Whether the database is not at its path. A mark that the watch did not write stays then: it tells
    ///     the next start which changes the database that is there now has lost.
    /// - Throws: ``SystemFailure``.
    func stop(on db: Database, isDisplaced: Bool) throws {
        _ = sqlite3_wal_hook(db.sqliteConnection, nil, nil)
        captures.end()
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        if isDisplaced {
            guard let file = last.file, let mark = last.mark,
                try CommitMarkFile.isPlaced(file, holding: mark, for: database)
            else { return }
        }
        try CommitMarkFile.remove(of: database)
    }

    private func committed(_ connection: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ frames: CInt) {
        state.withLock { state in
            // Without a mark nothing is noticed at the next start, which is no reason to refuse changes now.
            do {
                try advance(&state, to: UInt32(max(0, frames)))
                if let mark = state.mark { captures.committed(mark.end, previous: mark.previous) }
                guard frames >= CommitWatch.checkpointFrames else { return }
                // The next transaction can overwrite the log.
                captures.advance()
                var inLog: CInt = 0
                var copied: CInt = 0
                let mode = SQLITE_CHECKPOINT_PASSIVE
                guard sqlite3_wal_checkpoint_v2(connection, name, mode, &inLog, &copied) == SQLITE_OK,
                    inLog == copied, inLog == frames
                else { return }
                state.mark?.checkpointed = UInt32(copied)
                try write(&state)
            } catch {}
        }
    }

    private func advance(_ state: inout State, to frames: UInt32) throws(SystemFailure) {
        let log = try log(&state)
        guard let salts = try WALReader.header(of: log)?.salts else { return }
        let end = CommitMark.Place(salts: salts, frames: frames)
        if let mark = state.mark, mark.end.salts == salts {
            state.mark?.end = end
        } else {
            state.mark = CommitMark(end: end, previous: state.mark?.end)
        }
        try write(&state)
    }

    private func log(_ state: inout State) throws(SystemFailure) -> LogDescriptor {
        if let log = state.log { return log }
        let log = try LogDescriptor(database + "-wal")
        state.log = log
        return log
    }

    private func write(_ state: inout State) throws(SystemFailure) {
        guard let mark = state.mark else { return }
        let file: LogDescriptor
        if let open = state.file {
            file = open
        } else {
            file = try LogDescriptor(CommitMarkFile.path(of: database), flags: O_RDWR | O_CREAT)
            state.file = file
        }
        try mark.withBytes { bytes throws(SystemFailure) in try file.write(bytes, at: 0) }
    }
}
