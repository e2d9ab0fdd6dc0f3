internal import GRDB

extension Journal {
    /// Says which items are on the server according to the journal, and forgets nothing.
    func known(_ items: [some MigrationItem], of kind: String) async throws -> [Standing] {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "SELECT id, fingerprint, state, objectId FROM item WHERE kind = ? AND name = ?"
            )
            return try items.map { item in
                guard let row = try Row.fetchOne(statement, arguments: [kind, item.name]),
                    let state = ItemState(rawValue: row["state"]), let objectId: String = row["objectId"]
                else { return .failed }
                switch state {
                case .waiting, .failed: return .failed
                case .changed: return .changed
                case .done:
                    // The server has what the source had before.
                    guard row["fingerprint"] == item.fingerprint else { return .changed }
                    return .toDo(
                        JournalEntry(id: row["id"], objectId: objectId, upload: nil, mayExist: true, replaced: nil)
                    )
                }
            }
        }
    }

    /// Forgets the differences of an earlier verification.
    package func beginVerification() async throws {
        try await write { try $0.execute(sql: "DELETE FROM difference") }
    }

    /// Notes how items differ from the server; those that do not are not noted.
    func noteDifferences(_ ends: [(name: String, end: ItemEnd)], of kind: String) async throws {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO difference (kind, name, reason) VALUES (?, ?, ?)"
            )
            for (name, end) in ends {
                if case .failed(let reason) = end { try statement.execute(arguments: [kind, name, reason]) }
            }
        }
    }

    /// The number of differences of the last verification.
    package func differenceCount() async throws -> Int {
        try await write { try Int.fetchOne($0, sql: "SELECT count(*) FROM difference") ?? 0 }
    }

    /// Differences in the order in which they were found.
    ///
    /// - Parameters:
    ///   - limit: The maximum number.
    ///   - last: The last one of the page before; 0 for the first page.
    /// - Returns: The page, with the number of each row.
    /// - Throws: ``MigrationError`` if the journal cannot be read.
    func differences(_ limit: Int, after last: Int64) async throws -> [(id: Int64, item: FailedItem)] {
        try await write { database in
            let sql = "SELECT id, kind, name, reason FROM difference WHERE id > ? ORDER BY id LIMIT ?"
            return try Row.fetchAll(database, sql: sql, arguments: [last, limit]).map { row in
                let item = FailedItem(kind: row["kind"], name: row["name"], reason: row["reason"], state: .changed)
                return (row["id"], item)
            }
        }
    }
}
