internal import GRDB

extension Journal {
    /// Says under which objectId each item is compared with the server, or why it is not compared; changes nothing.
    ///
    /// An item that its source identifies is compared, also without a row in the journal. Of other items only the journal
    /// knows the objectIds: those that were not imported, or have changed since, are ``Standing/different(_:)``.
    func known(_ items: [some MigrationItem], of kind: String) async throws -> [Standing] {
        try await write { database in
            let statement = try database.cachedStatement(
                sql: "SELECT id, fingerprint, state, objectId, reason FROM item WHERE kind = ? AND name = ?"
            )
            return try items.map { item in
                let row = try Row.fetchOne(statement, arguments: [kind, item.name])
                return Journal.comparison(of: item, row)
            }
        }
    }

    private static func comparison(of item: some MigrationItem, _ row: Row?) -> Standing {
        var id: Int64 = 0
        var objectId = item.objectId
        var state = ItemState.waiting
        var reason: String?
        if let row {
            let isEqual = row["fingerprint"] == item.fingerprint
            id = row["id"]
            let known: String? = row["objectId"]
            objectId = objectId ?? known
            state = Journal.state(stored: ItemState(rawValue: row["state"]), isEqual: isEqual)
            reason = row["reason"]
        }
        if item.isComparable || state == .done {
            // The server has no object with a new id; a file is looked up by its key then.
            let known = objectId ?? NewObjectID.next()
            return .toDo(JournalEntry(id: id, objectId: known, upload: nil, replaced: []))
        }
        switch state {
        case .changed: return .different("changed since the import; --update sends it again")
        case .failed: return .different("was not imported" + (reason.map { ": \($0)" } ?? ""))
        case .waiting, .done: return .different("was not imported")
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
