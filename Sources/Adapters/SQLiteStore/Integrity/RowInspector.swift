internal import Domain
internal import GRDB
internal import GRDBSQLite

/// Compares the rows of all classes with their checksums, in the order of their classes' numbers and of their own.
struct RowInspector {
    let db: Database

    /// Inspects the next rows in a transaction for reading.
    ///
    /// A page ends at rows that cannot be read.
    ///
    /// - Throws: ``CutOff`` with that page: SQLite cannot commit a transaction that met a damaged page.
    func page(after position: RowPosition?, limit: Int) throws -> InspectedRows {
        var reading = Reading(remaining: max(1, limit))
        let hasChecksums = try DatabaseMigrator.hasChecksums(db)
        let backlog = hasChecksums ? try StoredBacklog(db: db).last() : [:]
        let classes = try Row.fetchAll(
            db,
            sql: "SELECT number, name FROM class WHERE number >= ? ORDER BY number",
            arguments: [position?.classNumber ?? 0]
        )
        for row in classes {
            let number = Int64.fromDatabaseValue(row["number"] as DatabaseValue) ?? 0
            let table = InspectedTable(
                number: number,
                name: String.fromDatabaseValue(row["name"] as DatabaseValue) ?? "",
                unknown: hasChecksums ? backlog[number] ?? 0 : .max
            )
            let start = number == position?.classNumber ? position?.rowNumber ?? 0 : 0
            if let end = try inspect(table, after: start, hasChecksums, &reading) {
                return reading.page(next: RowPosition(classNumber: number, rowNumber: end))
            }
        }
        return reading.page(next: nil)
    }

    /// A page that ends at rows that cannot be read.
    struct CutOff: Error {
        let page: InspectedRows
    }

    /// Returns the page of a transaction, also one that was cut off.
    static func page(of transaction: () async throws -> InspectedRows) async throws -> InspectedRows {
        do {
            return try await transaction()
        } catch let cutOff as CutOff {
            return cutOff.page
        }
    }

    /// Inspects rows of one table.
    ///
    /// - Returns: The number of the last row if the page is full; `nil` at the table's end.
    private func inspect(
        _ table: InspectedTable,
        after start: Int64,
        _ hasChecksums: Bool,
        _ reading: inout Reading
    ) throws -> Int64? {
        var last = start
        do {
            let statement = try db.makeStatement(
                sql: """
                    SELECT \(RowChecksum.columns.joined(separator: ", ")), \
                    \(hasChecksums ? RowChecksum.column : "NULL"), number
                    FROM \(ClassTable(number: table.number).name) WHERE number > ? ORDER BY number LIMIT ?
                    """
            )
            let rows = try Row.fetchCursor(statement, arguments: [start, reading.remaining])
            while try rows.next() != nil {
                last = sqlite3_column_int64(statement.sqliteStatement, 6)
                reading.add(table.damage(of: statement.sqliteStatement, number: last))
            }
        } catch let error as DatabaseError where error.hidesRows {
            // What comes after them cannot be found, so the inspection goes on with the next class.
            reading.damaged.append(
                DamagedRow(
                    className: table.name,
                    number: last,
                    id: "",
                    damage: "is the last one that can be read (\(DatabaseCopy.line(error)))"
                )
            )
            throw CutOff(page: reading.page(next: RowPosition(classNumber: table.number + 1, rowNumber: 0)))
        }
        return reading.remaining == 0 ? last : nil
    }
}

/// What was read for a page.
private struct Reading {
    var remaining: Int
    var count = 0
    var damaged: [DamagedRow] = []

    init(remaining: Int) {
        self.remaining = remaining
    }

    mutating func add(_ row: DamagedRow?) {
        remaining -= 1
        count += 1
        if let row { damaged.append(row) }
    }

    func page(next: RowPosition?) -> InspectedRows {
        InspectedRows(count: count, damaged: damaged, next: next)
    }
}

/// A class's table, and the highest number of a row that can have no checksum yet.
struct InspectedTable {
    let number: Int64
    let name: String
    let unknown: Int64

    /// Compares the current row of a statement of all columns, the checksum and the number.
    func damage(of statement: SQLiteStatement, number: Int64) -> DamagedRow? {
        let id = RowValue(statement, 0)
        let checksum = RowValue(statement, 5)
        let damage: String
        if checksum.isNull {
            guard number > unknown else { return nil }
            damage = "has no checksum"
        } else {
            let actual = RowChecksum.of(
                id,
                RowValue(statement, 1),
                RowValue(statement, 2),
                RowValue(statement, 3),
                RowValue(statement, 4)
            )
            guard checksum.integer != actual else { return nil }
            damage = "does not match its checksum"
        }
        return DamagedRow(className: name, number: number, id: id.text, damage: damage)
    }
}

extension DatabaseError {
    /// Whether some rows of a table cannot be read, or the table is not there, although the database can be read.
    fileprivate var hidesRows: Bool {
        SQLiteFailure.fault(of: self) == .damaged || resultCode == .SQLITE_ERROR
    }
}
