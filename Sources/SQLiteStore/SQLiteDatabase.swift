internal import Domain
internal import GRDB

/// One app's database: a writer that syncs before it answers, and readers beside it.
///
/// Calls may come from any task; the work runs on queues of GRDB, never on the cooperative pool.
package struct SQLiteDatabase: Sendable {
    let pool: DatabasePool

    /// Opens the database at a path, makes it if there is none, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: The database file; its folder must exist.
    ///   - readers: How many queries may read at the same time.
    /// - Throws: ``OpenFailure``, which says in one sentence why the server cannot start on it.
    package init(path: String, readers: Int = 4) throws(OpenFailure) {
        do {
            pool = try DatabasePool(path: path, configuration: SQLiteDatabase.configuration(readers: readers))
            // An answered write survives a power cut. It is said here, because GRDB sets NORMAL when it opens the
            // writer, which syncs only at checkpoints; the writer is one connection that stays.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let migrator = DatabaseMigrator.lcfile
            guard try pool.read(migrator.hasBeenSuperseded) == false else {
                throw OpenFailure(sentence: "was written by a newer version of lcfile; start that version instead")
            }
            try migrator.migrate(pool)
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(sentence: "cannot be opened as a database (\(error))")
        }
    }

    /// Closes every connection; later calls throw.
    package func close() throws {
        try pool.close()
    }

    private static func configuration(readers: Int) -> Configuration {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configuration.busyMode = .timeout(5)
        configuration.label = "lcfile.database"
        return configuration
    }
}

/// Why a database cannot be used.
package struct OpenFailure: Error, CustomStringConvertible {
    /// Continues "the database …".
    package let sentence: String

    /// The sentence.
    package var description: String { sentence }
}
