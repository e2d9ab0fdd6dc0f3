internal import GRDB
internal import GRDBSQLite

extension Database {
    /// SQLite's plan of a statement: a line for each step, indented by its depth.
    func plan(of sql: String, _ arguments: StatementArguments) throws -> [String] {
        // A connection learns of indexes that another one has created when it runs a statement. `EXPLAIN` runs none: it
        // would describe the plan without them.
        try execute(sql: "SELECT 1 FROM class LIMIT 0")
        // The depth of the steps of a step, by its number; 0 is the statement itself.
        var depths: [Int64: Int] = [0: 0]
        return try Row.fetchAll(self, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments).map { row in
            let depth = depths[row["parent"]] ?? 0
            depths[row["id"]] = depth + 1
            return String(repeating: "  ", count: depth) + (row["detail"] as String)
        }
    }
}

extension Statement {
    /// The text with the arguments in place of the placeholders; without them if it is longer than SQLite allows.
    func expanded(with arguments: StatementArguments) throws -> String {
        try setArguments(arguments)
        guard let text = sqlite3_expanded_sql(sqliteStatement) else { return sql }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}
