internal import Domain
internal import GRDB
internal import GRDBSQLite

extension ObjectRow {
    /// Reads the current row of a statement of ``ConditionSQL/columns``.
    ///
    /// Each value is copied once, from SQLite's memory.
    ///
    /// - Throws: ``BrokenRow`` for an invalid id, which only another program can have written, and without memory.
    init(reading statement: Statement) throws {
        let columns = statement.sqliteStatement
        let text = try columns.text(0) { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let id = ObjectID(text) else { throw BrokenRow(id: text) }
        self.init(
            id: id,
            createdAt: Timestamp(milliseconds: sqlite3_column_int64(columns, 1)),
            updatedAt: Timestamp(milliseconds: sqlite3_column_int64(columns, 2)),
            acl: try columns.text(3) { Array($0) },
            body: try columns.text(4) { Array($0) } ?? []
        )
    }
}

extension SQLiteStatement {
    /// The text of a column of the current row; `nil` for NULL.
    fileprivate func text<Value>(_ column: CInt, _ body: (UnsafeBufferPointer<UInt8>) -> Value) throws -> Value? {
        // SQLite also returns no text if it has no memory, and an object must not lose its ACL by that.
        guard sqlite3_column_type(self, column) != SQLITE_NULL else { return nil }
        guard let start = sqlite3_column_text(self, column) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        return body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(self, column))))
    }
}

private struct BrokenRow: Error {
    let id: String
}
