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
    func failures(_ limit: Int, after last: Int64) async throws -> [(id: Int64, item: FailedItem)] {
        try await write { database in
            let sql = """
                SELECT id, kind, name, reason, state FROM item WHERE state IN (2, 3) AND id > ? ORDER BY id LIMIT ?
                """
            return try Row.fetchAll(database, sql: sql, arguments: [last, limit]).compactMap { row in
                guard let state = ItemState(rawValue: row["state"]) else { return nil }
                let item = FailedItem(kind: row["kind"], name: row["name"], reason: row["reason"] ?? "", state: state)
                return (row["id"], item)
            }
        }
    }
}
