internal import GRDB

/// The migration to which a journal belongs.
///
/// Items that are done on one server are not done on another, so a journal is never used for a second destination.
package struct JournalIdentity: Sendable, Hashable {
    /// What is migrated, such as `import /home/me/photos`.
    package let source: String
    /// The server's URL.
    package let server: String
    /// The app's id.
    package let app: String

    /// Creates an identity.
    package init(source: String, server: String, app: String) {
        self.source = source
        self.server = server
        self.app = app
    }

    /// Stores the identity in a new journal; throws ``MigrationError`` if the journal has another one.
    func require(in database: Database, of path: String) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO run (id, version, source, server, app) VALUES (1, ?, ?, ?, ?)",
            arguments: [Journal.version, source, server, app]
        )
        guard let row = try Row.fetchOne(database, sql: "SELECT version, source, server, app FROM run") else { return }
        guard row["version"] == Journal.version else {
            throw MigrationError(
                "the journal \(path) was written by another version of lcfile; remove it to begin anew"
            )
        }
        let known = JournalIdentity(source: row["source"], server: row["server"], app: row["app"])
        guard known == self else {
            throw MigrationError(
                "the journal \(path) belongs to \(known); name another file with --journal, or remove it to begin anew"
            )
        }
    }
}

extension JournalIdentity: CustomStringConvertible {
    /// Such as `'import photos' to https://files.example.com, app Ab3d`.
    package var description: String { "'\(source)' to \(server), app \(app)" }
}
