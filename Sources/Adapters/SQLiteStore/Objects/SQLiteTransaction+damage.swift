internal import Domain
internal import GRDB
internal import GRDBSQLite

extension SQLiteTransaction {
    func intactRows(in name: ClassName, onDamage: (String) -> Void) throws -> [ObjectRow] {
        guard let entry = catalog.entries[name] else { return [] }
        // No condition: SQLite fails on a body that is not valid JSON.
        let statement = try db.makeStatement(
            sql: "SELECT \(ConditionSQL.columns) FROM \(ClassTable(number: entry.number).name)"
        )
        let rows = try Row.fetchCursor(statement)
        var found: [ObjectRow] = []
        while try rows.next() != nil {
            do {
                found.append(try ObjectRow(reading: statement, of: name))
            } catch {
                onDamage(RowValue(statement.sqliteStatement, 0).text)
            }
        }
        return found
    }
}
