internal import GRDB

extension Journal {
    /// The numbers of items by kind and state.
    package func totals() async throws -> [String: [ItemState: ItemTotals]] {
        try await write { database in
            let sql = "SELECT kind, state, count(*) AS count, sum(size) AS bytes FROM item GROUP BY kind, state"
            return try Row.fetchAll(database, sql: sql).reduce(into: [:]) { totals, row in
                guard let state = ItemState(rawValue: row["state"]) else { return }
                totals[row["kind"], default: [:]][state] = ItemTotals(count: row["count"], bytes: row["bytes"])
            }
        }
    }

    /// The number of items of this pass that failed or have changed; items that the source has no more do not count.
    package func failureCount() async throws -> (failed: Int, changed: Int) {
        try await write { [pass] database in
            let sql = "SELECT state, count(*) AS count FROM item WHERE state IN (2, 3) AND pass = ? GROUP BY state"
            let rows = try Row.fetchAll(database, sql: sql, arguments: [pass])
            let counts: [Int64: Int] = Dictionary(rows.map { ($0["state"], $0["count"]) }) { first, _ in first }
            return (counts[ItemState.failed.rawValue] ?? 0, counts[ItemState.changed.rawValue] ?? 0)
        }
    }

    /// The kinds of the items of this pass that failed or have changed.
    func failedKinds() async throws -> Set<String> {
        try await write { [pass] database in
            let sql = "SELECT DISTINCT kind FROM item WHERE state IN (2, 3) AND pass = ?"
            return Set(try String.fetchAll(database, sql: sql, arguments: [pass]))
        }
    }

    /// The first items that failed or have changed.
    package func failures(_ limit: Int) async throws -> [FailedItem] {
        try await failures(limit, after: 0).map(\.item)
    }

    /// The first differences of the last verification.
    package func differences(_ limit: Int) async throws -> [FailedItem] {
        try await differences(limit, after: 0).map(\.item)
    }

    /// Items that failed or have changed, in the order in which they were found.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of items.
    ///   - last: The last item of the page before; 0 for the first page.
    /// - Returns: The page, with the number of each row.
    /// - Throws: ``MigrationError`` if the journal cannot be read.
    func failures(_ limit: Int, after last: Int64) async throws -> [(id: Int64, item: FailedItem)] {
        try await write { [pass] database in
            let sql = """
                SELECT id, kind, name, reason, state FROM item
                  WHERE state IN (2, 3) AND pass = ? AND id > ? ORDER BY id LIMIT ?
                """
            return try Row.fetchAll(database, sql: sql, arguments: [pass, last, limit]).compactMap { row in
                guard let state = ItemState(rawValue: row["state"]) else { return nil }
                let item = FailedItem(kind: row["kind"], name: row["name"], reason: row["reason"] ?? "", state: state)
                return (row["id"], item)
            }
        }
    }
}
