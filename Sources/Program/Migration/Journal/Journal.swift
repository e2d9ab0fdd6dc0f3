internal import FoundationEssentials
internal import GRDB
internal import Glibc

/// What a migration has done with each item of its source: a SQLite file that outlives the process.
///
/// A migration that was killed continues from its journal. An item is noted before it is sent, with the objectId that
/// the client chose if the source gives none, so that an item whose answer was lost is recognised on the server instead
/// of being sent twice. The journal does not sync each note: after a power failure the last items are looked up on the
/// server again.
///
/// One process at a time has a journal, and only its owner can read it. Calls can come from any task.
package final class Journal: Sendable {
    /// The version of the tables; a journal of another version is refused.
    static let version = 1

    let database: DatabaseQueue
    /// Counts the processes that have used the journal; an item that has this number was already found in the source.
    let pass: Int64
    /// The file.
    package let path: String

    /// Opens a journal; creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - identity: What is migrated where; a journal of another migration is refused.
    /// - Throws: ``MigrationError`` if the file cannot be used, another process uses it, or it belongs to another
    ///   migration.
    package init(at path: String, for identity: JournalIdentity) throws(MigrationError) {
        self.path = path
        do {
            var configuration = Configuration()
            // Also keeps a second process out.
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            Journal.create(path)
            database = try DatabaseQueue(path: path, configuration: configuration)
            pass = try database.write { database in
                try Journal.createTables(in: database)
                try identity.require(in: database, of: path)
                try database.execute(sql: "UPDATE run SET passes = passes + 1")
                return try Int64.fetchOne(database, sql: "SELECT passes FROM run") ?? 1
            }
        } catch let error as MigrationError {
            throw error
        } catch {
            throw Journal.failure(error, path)
        }
    }

    /// Whether there is a file at a path that a migration would continue.
    package static func exists(at path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// Creates a new journal with mode 0600, because it has names, signed URLs and unfinished uploads.
    ///
    /// SQLite would use the umask. It gives the files beside a database the mode of the database. A failure is reported
    /// when SQLite opens the file.
    private static func create(_ path: String) {
        // A file that exists must not be opened: closing it would end the locks of SQLite in this process.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    private static func createTables(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS run (
                  id INTEGER PRIMARY KEY CHECK (id = 1),
                  version INTEGER NOT NULL,
                  source TEXT NOT NULL,
                  server TEXT NOT NULL,
                  app TEXT NOT NULL,
                  passes INTEGER NOT NULL DEFAULT 0
                );
                CREATE TABLE IF NOT EXISTS item (
                  id INTEGER PRIMARY KEY,
                  kind TEXT NOT NULL,
                  name TEXT NOT NULL,
                  fingerprint TEXT NOT NULL,
                  size INTEGER NOT NULL,
                  state INTEGER NOT NULL,
                  pass INTEGER NOT NULL,
                  objectId TEXT,
                  upload TEXT,
                  replaced TEXT,
                  reason TEXT,
                  UNIQUE (kind, name)
                );
                CREATE TABLE IF NOT EXISTS difference (
                  id INTEGER PRIMARY KEY,
                  kind TEXT NOT NULL,
                  name TEXT NOT NULL,
                  reason TEXT NOT NULL
                );
                CREATE INDEX IF NOT EXISTS item_failed ON item (id) WHERE state IN (2, 3);
                """
        )
    }

    static func failure(_ error: any Error, _ path: String) -> MigrationError {
        guard let error = error as? DatabaseError else { return MigrationError("the journal \(path): \(error)") }
        switch error.resultCode {
        case .SQLITE_BUSY: return MigrationError("another process uses the journal \(path)")
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            return MigrationError("\(path) is not a journal; name another file with --journal")
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            return MigrationError("the journal \(path) cannot be written; name another file with --journal")
        case .SQLITE_FULL: return MigrationError("the journal \(path) cannot be written: the disk is full")
        default: return MigrationError("the journal \(path): \(error.message ?? "\(error.resultCode)")")
        }
    }
}

/// A migration that cannot begin or go on, with its reason.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    /// The reason as a phrase without a full stop.
    package let description: String

    /// Creates an error.
    package init(_ description: String) {
        self.description = description
    }
}
