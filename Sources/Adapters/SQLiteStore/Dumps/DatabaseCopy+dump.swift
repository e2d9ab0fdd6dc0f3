package import Domain
internal import GRDB

extension DatabaseCopy {
    /// Makes a database that no process has open one file without a write-ahead log, also for its next readers.
    ///
    /// - Throws: ``OpenFailure``.
    package static func makePlain(_ path: String) throws(OpenFailure) {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration(readonly: false))
            let mode = try queue.writeWithoutTransaction { db in
                try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
            guard mode == "delete" else { throw OpenFailure(message: "cannot be made one plain file") }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be made one plain file (\(line(error)))")
        }
    }
}

extension DatabaseCopy: DumpSource {
    /// Reads all items in one transaction; each row is compared with its checksum.
    package func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        do {
            try queue.read { db in
                guard try DatabaseMigrator.lcfile.hasCompletedMigrations(db) else {
                    throw OpenFailure(
                        message: "was written by an earlier version of lcfile; start the server once before"
                    )
                }
                try DatabaseCopy.forEachItem(of: db, body)
            }
        } catch let error as DatabaseError {
            let isDamage = SQLiteFailure.fault(of: error) == .damaged
            throw OpenFailure(message: "cannot be read (\(DatabaseCopy.line(error)))", isDamage: isDamage)
        }
    }

    private static func forEachItem(of db: Database, _ body: (DumpItem) throws -> Void) throws {
        let backlog = try StoredBacklog(db: db).last()
        let classes = try Row.fetchAll(db, sql: "SELECT number, name, schema FROM class").map { row in
            let name = try ClassName(row["name"] as String)
            return (number: row["number"] as Int64, name: name, schema: row["schema"] as String)
        }
        for (number, name, schema) in classes.sorted(by: { $0.name < $1.name }) {
            try body(.begin(name, schema: Array(schema.utf8)))
            var items = try ClassItems(of: name, number, unknown: backlog[number] ?? 0, db)
            while let item = try items.next() { try body(item) }
        }
    }
}
