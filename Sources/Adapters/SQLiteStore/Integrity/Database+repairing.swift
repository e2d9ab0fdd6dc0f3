internal import Domain
internal import GRDB

extension Database {
    /// Changes a table without its indexes in one transaction, and then creates them again from the table.
    ///
    /// A damaged row does not contain the values from which its entries in the indexes were created, so SQLite could
    /// not find them. Call it outside of a transaction.
    func withoutIndexes(of table: String, _ body: () throws -> Void) throws {
        // With it SQLite deletes a row that is missing in the index of ids; that index cannot be dropped.
        try execute(sql: "PRAGMA writable_schema = ON")
        defer { try? execute(sql: "PRAGMA writable_schema = OFF") }
        try inTransaction {
            let indexes = try Row.fetchAll(
                self,
                sql: """
                    SELECT name, sql FROM sqlite_master
                    WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL
                    """,
                arguments: [table]
            ).map { (name: $0["name"] as String, sql: $0["sql"] as String) }
            for index in indexes { try execute(sql: "DROP INDEX \(index.name.quotedDatabaseIdentifier)") }
            try body()
            try execute(sql: "REINDEX \(table)")
            for index in indexes { try execute(sql: index.sql) }
            return .commit
        }
    }

    /// Removes the relations of a deleted object, and its memberships in other objects' relations.
    func unrelate(_ id: String, of name: ClassName, in catalog: Catalog) throws {
        guard let entry = catalog.entries[name] else { return }
        try execute(sql: "DELETE FROM relation WHERE class = ? AND owner = ?", arguments: [entry.number, id])
        for owner in catalog.entries.values {
            for (key, target) in owner.schema.relations where target == name {
                try execute(
                    sql: "DELETE FROM relation WHERE class = ? AND key = ? AND member = ?",
                    arguments: [owner.number, key, id]
                )
            }
        }
    }
}
