internal import GRDB

/// The table `checksum_backlog`: for each class with rows of earlier versions, the highest number of one that can have
/// no checksum.
///
/// Rows get their checksums from the highest number to the lowest, and the table follows in the same transaction, so a
/// start knows at once whether there is something left to do.
struct StoredBacklog {
    let db: Database

    /// The bytes of bodies after which a transaction takes no further row.
    private static let maxSize = 4 << 20

    /// The highest numbers by the class's number.
    func last() throws -> [Int64: Int64] {
        let rows = try Row.fetchAll(db, sql: "SELECT class, last FROM checksum_backlog")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["class"], $0["last"]) })
    }

    /// Computes the checksums of the next rows, and returns whether none is left.
    func fill(limit: Int) throws -> Bool {
        guard let next = try last().min(by: { $0.key < $1.key }) else { return true }
        let table = ClassTable(number: next.key).name
        guard let first = try firstNumber(of: table, upTo: next.value, limit) else {
            try db.execute(sql: "DELETE FROM checksum_backlog WHERE class = ?", arguments: [next.key])
            return try last().isEmpty
        }
        try db.cachedStatement(
            sql: """
                UPDATE \(table) SET checksum = \(RowChecksum.ofRow)
                WHERE number BETWEEN ? AND ? AND checksum IS NULL
                """
        ).execute(arguments: [first, next.value])
        try db.execute(
            sql: "UPDATE checksum_backlog SET last = ? WHERE class = ?",
            arguments: [first - 1, next.key]
        )
        return false
    }

    /// The lowest number of the rows that one transaction takes; `nil` if there are none.
    private func firstNumber(of table: String, upTo last: Int64, _ limit: Int) throws -> Int64? {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT number, coalesce(length(CAST(body AS BLOB)), 0) FROM \(table) WHERE number <= ?
                ORDER BY number DESC LIMIT ?
                """,
            arguments: [last, limit]
        )
        var first: Int64?
        var size = 0
        while size < StoredBacklog.maxSize, let row = try rows.next() {
            first = row[0]
            size += row[1] as Int
        }
        return first
    }
}
