package import Domain
internal import FoundationEssentials
internal import GRDB

/// The database of an app, as `lcfile check` reads it beside a server, or repairs it without one.
///
/// Each statement is a transaction of its own over a page of rows, so the write-ahead log of a server does not grow. What
/// the check must remember of every file is in temporary tables, which SQLite keeps in a file of its own.
package struct DatabaseCheck: CheckedDatabase {
    let queue: DatabaseQueue
    let catalog: Catalog

    /// The number of rows that one statement reads.
    static let pageSize = 10_000

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - repairing: Whether it can be changed; no server uses it then.
    /// - Throws: ``OpenFailure``; for a repair also if the write-ahead log is damaged, and nothing is changed then.
    package init(path: String, repairing: Bool) throws(OpenFailure) {
        do {
            if repairing { try OfflineLog(of: path).refuseDamage() }
            var configuration = Configuration()
            configuration.readonly = !repairing
            configuration.busyMode = .timeout(5)
            configuration.label = "lcfile.check"
            configuration.prepareDatabase { db in
                db.add(function: DatabaseCheck.blobName)
                // A repair is on the disk when it is reported.
                if repairing { try db.execute(sql: "PRAGMA synchronous = FULL") }
            }
            queue =
                repairing
                ? try DatabaseQueue(path: path, configuration: configuration)
                : try ReadOnlyDatabase(path: path, configuration).queue
            try DatabaseCheck.requireOwnVersion(queue)
            catalog = try queue.read { try Catalog($0) }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw DatabaseCheck.failure("cannot be opened", error)
        }
    }

    package func pageDamage(comparingIndexes: Bool) throws(OpenFailure) -> [String] {
        let check = comparingIndexes ? "integrity_check" : "quick_check"
        do {
            let complaints = try queue.read { try String.fetchAll($0, sql: "PRAGMA \(check)(100)") }
            return complaints == ["ok"] ? [] : complaints.map { "is damaged: \(DatabaseCopy.line($0))" }
        } catch let error as DatabaseError where SQLiteFailure.fault(of: error) == .damaged {
            return ["is damaged: \(DatabaseCopy.line(error))"]
        } catch let error as DatabaseError where comparingIndexes && error.resultCode == .SQLITE_ERROR {
            // A damaged row is no JSON, so no index of a field can be compared. The comparison of the rows names it.
            return try pageDamage(comparingIndexes: false)
        } catch {
            throw DatabaseCheck.failure("cannot be read", error)
        }
    }

    package func hasReadableRows() -> Bool {
        do {
            try queue.read { db in
                let tables = try String.fetchAll(
                    db,
                    sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
                )
                for table in tables {
                    let name = table.quotedDatabaseIdentifier
                    let columns = try db.columns(in: table).map { "sum(length(\($0.name.quotedDatabaseIdentifier)))" }
                    // The sums read every value; without an index in any part.
                    _ = try Row.fetchOne(
                        db,
                        sql: "SELECT \(columns.joined(separator: ", ")) FROM \(name) NOT INDEXED"
                    )
                }
            }
            return true
        } catch {
            return false
        }
    }

    package func rebuildIndexes() throws(OpenFailure) {
        do {
            try queue.writeWithoutTransaction { try $0.execute(sql: "REINDEX") }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // A damaged row is no JSON.
            throw OpenFailure(
                message: "has indexes that cannot be rebuilt (\(DatabaseCopy.line(error)))",
                isDamage: true
            )
        } catch {
            throw DatabaseCheck.failure("has indexes that cannot be rebuilt", error)
        }
    }

    package func close() throws(OpenFailure) {
        do {
            try queue.close()
        } catch {
            throw DatabaseCheck.failure("cannot be closed", error)
        }
    }

    /// The table of a class; `nil` if the database has no such class.
    func table(of name: ClassName) -> String? {
        catalog.entries[name].map { ClassTable(number: $0.number).name }
    }

    static func failure(_ what: String, _ error: any Error) -> OpenFailure {
        OpenFailure(message: "\(what) (\(DatabaseCopy.line(error)))", isDamage: SQLiteFailure.isDamage(error))
    }

    /// Tables of an earlier version can lack classes, and a newer one can have others: both would be findings.
    private static func requireOwnVersion(_ queue: DatabaseQueue) throws {
        let migrator = DatabaseMigrator.lcfile
        guard try queue.read(migrator.hasBeenSuperseded) == false else {
            throw OpenFailure(message: "was written by a newer version of lcfile; use that version instead")
        }
        try DatabaseCopy.refuseEmpty(queue)
        guard try queue.read(migrator.hasCompletedMigrations) else {
            throw OpenFailure(message: "was written by an earlier version of lcfile; start the server once before")
        }
    }

    /// The SHA-256 of a key as 32 bytes, the name of its blob; NULL for what is no key.
    private static let blobName = DatabaseFunction("blob_name", argumentCount: 1, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]), let key = FileKey(text) else { return nil }
        return BlobName(key).bytes
    }
}

extension BlobName {
    /// The 32 bytes of the digest.
    var bytes: Data { Data([UInt8](hexadecimal: description) ?? []) }

    /// Creates a name from the bytes of a digest; `nil` for another number of bytes.
    init?(bytes: Data) {
        self.init(bytes.hexadecimal)
    }
}
