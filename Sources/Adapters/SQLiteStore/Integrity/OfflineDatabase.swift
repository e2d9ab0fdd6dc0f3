package import Domain
internal import GRDB

/// The database of a storage that no server uses, for its check and its repair.
///
/// It is not migrated. Calls that change rows block.
package struct OfflineDatabase: RowRepair {
    private let queue: DatabaseQueue
    private let catalog: Catalog

    /// Opens a database for reading and writing; the caller holds the storage's lock.
    ///
    /// - Throws: ``OpenFailure``, also for a database of a newer version or with a damaged write-ahead log; neither is
    ///   changed.
    package init(path: String) throws(OpenFailure) {
        do {
            try OfflineLog(of: path).refuseDamage()
            try DatabaseCopy.refuseNewer(path)
            queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: false))
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            catalog = try queue.read { try Catalog($0) }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw DatabaseCheck.failure("cannot be opened", error)
        }
    }

    /// Closes the database; later calls throw.
    package func close() throws(OpenFailure) {
        do {
            try queue.close()
        } catch {
            throw OpenFailure(message: "cannot be closed (\(DatabaseCopy.line(error)))")
        }
    }

    package func inspectRows(after position: RowPosition?, limit: Int) async throws -> InspectedRows {
        try await RowInspector.page {
            try await queue.read { try RowInspector(db: $0).page(after: position, limit: limit) }
        }
    }

    package func accept(_ rows: [DamagedRow]) async throws {
        try change(rows) { row, table, db in
            guard try OfflineDatabase.holdsObject(row, table, db) else {
                throw UnacceptableRow(row: row, reason: "holds no object; it can only be removed")
            }
            try db.execute(
                sql: "UPDATE \(table.name) SET checksum = \(RowChecksum.ofRow) WHERE number = ?",
                arguments: [row.number]
            )
        }
    }

    package func remove(_ rows: [DamagedRow]) async throws {
        try change(rows) { row, table, db in
            try db.execute(sql: "DELETE FROM \(table.name) WHERE number = ?", arguments: [row.number])
            guard let name = try? ClassName(row.className) else { return }
            // Of the row's id only a whole one can be that of relations.
            if ObjectID(row.id) != nil { try db.unrelate(row.id, of: name, in: catalog) }
        } then: { name, db in
            if name == .file { try recountUsage(db) }
        }
    }

    /// Changes the damaged rows among some, in one transaction for each class, without the table's indexes.
    private func change(
        _ rows: [DamagedRow],
        _ change: (DamagedRow, ClassTable, Database) throws -> Void,
        then end: (ClassName, Database) throws -> Void = { _, _ in }
    ) throws {
        // Without the column no row is known to be damaged.
        guard try queue.read(DatabaseMigrator.hasChecksums) else { return }
        for (name, rows) in Dictionary(grouping: rows, by: \.className) {
            guard let name = try? ClassName(name), let entry = catalog.entries[name] else { continue }
            let table = ClassTable(number: entry.number)
            try queue.writeWithoutTransaction { db in
                let damaged = try rows.filter { try OfflineDatabase.isDamaged($0, table, db) }
                guard !damaged.isEmpty else { return }
                do {
                    try db.withoutIndexes(of: table.name) {
                        for row in damaged { try change(row, table, db) }
                        try end(name, db)
                    }
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    // The row that cannot be indexed is not among these.
                    throw UnacceptableRow(
                        row: damaged[0],
                        reason: "cannot be changed while another damaged row of its class is no JSON; remove that first"
                    )
                }
            }
        }
    }

    private static func isDamaged(_ row: DamagedRow, _ table: ClassTable, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: "SELECT checksum IS NOT \(RowChecksum.ofRow) FROM \(table.name) WHERE number = ?",
            arguments: [row.number]
        ) ?? false
    }

    /// Whether the values of a row have the types and ranges of an object's, and its texts the form that the server writes.
    private static func holdsObject(_ row: DamagedRow, _ table: ClassTable, _ db: Database) throws -> Bool {
        let isWhole = try Bool.fetchOne(
            db,
            sql: """
                SELECT typeof(id) = 'text' AND typeof(created_at) = 'integer' AND typeof(updated_at) = 'integer'
                    AND min(created_at, updated_at) >= ? AND max(created_at, updated_at) <= ?
                    AND typeof(acl) IN ('null', 'text') AND typeof(body) = 'text'
                FROM \(table.name) WHERE number = ?
                """,
            arguments: [Timestamp.range.lowerBound, Timestamp.range.upperBound, row.number]
        )
        guard isWhole == true else { return false }
        let statement = try db.makeStatement(
            sql: "SELECT \(RowChecksum.columns.joined(separator: ", ")), NULL FROM \(table.name) WHERE number = ?"
        )
        let rows = try Row.fetchCursor(statement, arguments: [row.number])
        return try withExtendedLifetime(rows) {
            guard try rows.next() != nil, let name = try? ClassName(row.className),
                let stored = try? ObjectRow(reading: statement, of: name), let object = try? stored.object()
            else { return false }
            let canonical = ObjectRow(object)
            return canonical.body == stored.body && canonical.acl == stored.acl
        }
    }

    /// Counts the files and their bytes anew, because the size in a damaged record cannot be trusted.
    private func recountUsage(_ db: Database) throws {
        guard let files = catalog.entries[.file], let usage = catalog.entries[.usage] else { return }
        let table = ClassTable(number: files.number).name
        // Only CASE guarantees that SQLite extracts no member from a string that is not JSON.
        let size = "CASE WHEN json_valid(body) THEN json_extract(body, '$._size') END"
        let body = """
            json_set(body, '$.bytes', (SELECT coalesce(sum(\(FileRow.size(at: "$._size"))), 0) FROM \(table)),
                '$.files', (SELECT count(\(size)) FROM \(table)))
            """
        try db.execute(
            sql: "\(RowChecksum.update(ClassTable(number: usage.number).name, settingBody: body)) WHERE id = 'usage'"
        )
    }
}
