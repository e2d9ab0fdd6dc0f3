internal import GRDB
internal import Glibc

/// How the schema of a database file compares with the one that this version creates.
package enum SchemaState: Sendable, Equatable {
    /// There is no file.
    case missing
    /// All migrations of this version, and no others, have run.
    case current
    /// Some migrations have not run.
    case older
    /// A later version migrated it.
    case newer
    /// It cannot be read; with the reason on one line.
    case unreadable(String)

    /// Reads the names of the migrations that have run.
    ///
    /// It blocks. A server can have the file open.
    package static func read(_ path: String) -> SchemaState {
        guard access(path, F_OK) == 0 else { return .missing }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try queue.read { db in
                if try DatabaseMigrator.lcfile.hasBeenSuperseded(db) { return .newer }
                return try DatabaseMigrator.lcfile.hasCompletedMigrations(db) ? .current : .older
            }
        } catch {
            return .unreadable(DatabaseCopy.line(error))
        }
    }
}
