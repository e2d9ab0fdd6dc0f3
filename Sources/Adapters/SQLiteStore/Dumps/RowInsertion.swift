internal import Domain
internal import GRDB
internal import GRDBSQLite

/// The statement that inserts rows into a table with the columns of a class's, with their numbers, byte for byte.
struct RowInsertion {
    private let statement: Statement

    init(into table: String, _ db: Database) throws {
        statement = try db.makeStatement(
            sql: """
                INSERT INTO \(table) (number, id, created_at, updated_at, acl, body, checksum)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, \(RowChecksum.call(with: ["?2", "?3", "?4", "?5", "?6"])))
                """
        )
    }

    /// Inserts a row with its checksum.
    func run(_ row: ObjectRow, number: Int64) throws {
        let statement = statement.sqliteStatement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        sqlite3_bind_int64(statement, 1, number)
        sqlite3_bind_int64(statement, 3, row.createdAt.milliseconds)
        sqlite3_bind_int64(statement, 4, row.updatedAt.milliseconds)
        // SQLite reads the texts where they are, so they are bound while the statement runs.
        let code = Array(row.id.description.utf8).withUnsafeBytes { id in
            row.body.withUnsafeBytes { body in
                bind(id, 2, statement)
                bind(body, 6, statement)
                guard let acl = row.acl else { return sqlite3_step(statement) }
                return acl.withUnsafeBytes { acl in
                    bind(acl, 5, statement)
                    return sqlite3_step(statement)
                }
            }
        }
        guard code == SQLITE_DONE else {
            let message = sqlite3_db_handle(statement).flatMap(sqlite3_errmsg).map { String(cString: $0) }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    private func bind(_ text: UnsafeRawBufferPointer, _ index: CInt, _ statement: SQLiteStatement) {
        sqlite3_bind_text(
            statement,
            index,
            text.baseAddress?.assumingMemoryBound(to: CChar.self),
            CInt(text.count),
            nil
        )
    }
}
