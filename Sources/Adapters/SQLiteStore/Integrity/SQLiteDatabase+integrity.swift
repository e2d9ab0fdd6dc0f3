package import Domain
internal import GRDB

extension SQLiteDatabase: RowInspection, ChecksumBacklog {
    /// Compares the next rows with their checksums in a snapshot, on a thread of slow queries; no writer waits for it.
    package func inspectRows(after position: RowPosition?, limit: Int) async throws -> InspectedRows {
        let budget = QueryBudget(seconds: 60)
        budget.slowDown()
        return try await RowInspector.page {
            try await read(within: budget) { try RowInspector(db: $0).page(after: position, limit: limit) }
        }
    }

    package func fillChecksums(limit: Int) async throws -> Bool {
        // A transaction would be refused by a full disk, also if there is nothing to do.
        guard try await read(within: nil, { try !StoredBacklog(db: $0).last().isEmpty }) else { return true }
        return try await writes.write { [health = queries.health] transaction in
            try health.requireSpace()
            return try StoredBacklog(db: transaction.db).fill(limit: limit)
        }
    }
}
