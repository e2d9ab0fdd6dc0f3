package import Domain
internal import GRDB
internal import GRDBSQLite

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
                try DatabaseDump(db: db).forEachItem(body)
            }
        } catch let error as DatabaseError {
            let isDamage = SQLiteFailure.fault(of: error) == .damaged
            throw OpenFailure(message: "cannot be read (\(DatabaseCopy.line(error)))", isDamage: isDamage)
        }
    }
}

/// Reads the items of a dump in a transaction.
private struct DatabaseDump {
    let db: Database

    func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        let backlog = try StoredBacklog(db: db).last()
        let classes = try Row.fetchAll(db, sql: "SELECT number, name, schema FROM class").map { row in
            let name = try ClassName(row["name"] as String)
            return (number: row["number"] as Int64, name: name, schema: row["schema"] as String)
        }
        for (number, name, schema) in classes.sorted(by: { $0.name < $1.name }) {
            try body(.begin(name, schema: Array(schema.utf8)))
            let table = InspectedTable(number: number, name: "\(name)", unknown: backlog[number] ?? 0)
            try readRows(of: table, name, body)
            try readMemberships(of: number, name, body)
            try readCounters(of: number, body)
        }
    }

    private func readRows(
        of table: InspectedTable,
        _ name: ClassName,
        _ body: (DumpItem) throws -> Void
    ) throws {
        let columns = "\(RowChecksum.columns.joined(separator: ", ")), \(RowChecksum.column), number"
        try read("SELECT \(columns) FROM \(ClassTable(number: table.number).name) ORDER BY number") { statement in
            let number = sqlite3_column_int64(statement.sqliteStatement, 6)
            if let row = table.damage(of: statement.sqliteStatement, number: number) { throw OpenFailure(damaged: row) }
            guard let row = try? ObjectRow(reading: statement, of: name) else {
                let id = RowValue(statement.sqliteStatement, 0).text
                throw OpenFailure(
                    damaged: DamagedRow(className: "\(name)", number: number, id: id, damage: "has no valid id")
                )
            }
            try body(.row(number: number, row))
        }
    }

    private func readMemberships(
        of number: Int64,
        _ name: ClassName,
        _ body: (DumpItem) throws -> Void
    ) throws {
        let query = "SELECT key, owner, member FROM relation WHERE class = \(number) ORDER BY key, owner, member"
        try read(query) { statement in
            let texts = (0..<3).map { RowValue(statement.sqliteStatement, $0).text }
            guard let owner = ObjectID(texts[1]), let member = ObjectID(texts[2]) else {
                throw OpenFailure(message: "has an invalid id in the relation \(texts[0]) of \(name)", isDamage: true)
            }
            try body(.membership(field: texts[0], Membership(owner: owner, member: member)))
        }
    }

    private func readCounters(of number: Int64, _ body: (DumpItem) throws -> Void) throws {
        try read("SELECT field, last FROM counter WHERE class = \(number) ORDER BY field") { statement in
            let (field, last) = (RowValue(statement.sqliteStatement, 0), RowValue(statement.sqliteStatement, 1))
            try body(.counter(field: field.text, last: last.integer))
        }
    }

    private func read(_ query: String, _ body: (Statement) throws -> Void) throws {
        let statement = try db.makeStatement(sql: query)
        let rows = try Row.fetchCursor(statement)
        while try rows.next() != nil { try body(statement) }
    }
}
