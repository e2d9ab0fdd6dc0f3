internal import Domain
internal import GRDB
internal import GRDBSQLite

extension ObjectRow {
    /// Reads the current row of a statement of ``ConditionSQL/columns``, and compares it with its checksum.
    ///
    /// Each text is copied once, from SQLite's memory.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - name: The class, for the message about damage.
    /// - Throws: A `DatabaseError` of damage if the row is not what was written, and ``BrokenRow`` for an invalid id,
    ///   which only another program can have written.
    init(reading statement: Statement, of name: ClassName) throws {
        let columns = statement.sqliteStatement
        let (id, created, updated) = (RowValue(columns, 0), RowValue(columns, 1), RowValue(columns, 2))
        let (acl, body) = (RowValue(columns, 3), RowValue(columns, 4))
        // NULL in the rows of earlier versions, until the backlog is done.
        let checksum = RowValue(columns, 5)
        guard checksum.isNull || checksum.integer == RowChecksum.of(id, created, updated, acl, body) else {
            throw RowChecksum.damage(of: id.text, in: name)
        }
        guard let objectID = ObjectID(id.text) else { throw BrokenRow(id: id.text) }
        self.init(
            id: objectID,
            createdAt: Timestamp(milliseconds: created.integer),
            updatedAt: Timestamp(milliseconds: updated.integer),
            acl: acl.isNull ? nil : Array(acl.bytes),
            body: Array(body.bytes)
        )
    }
}

private struct BrokenRow: Error {
    let id: String
}
