package import Domain
internal import GRDB

/// Objects in SQLite: a table for each class (docs/decisions/0001-a-table-per-class.md).
package struct SQLiteObjectStore: ObjectStore {
    private let database: SQLiteDatabase

    /// Keeps objects in a database that is open.
    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package var changes: ChangeFeed { database.changes }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        // Taken before the snapshot, so that no class is known whose table the snapshot does not have.
        let catalog = database.catalog.current
        do {
            return try await database.read(within: budget) { [queries = database.queries] db in
                // Looked into here, on a thread that may block.
                try queries.health.reporting {
                    do {
                        let transaction = SQLiteTransaction(db, catalog, queries, within: budget)
                        guard let budget else { return try body(transaction) }
                        return try budget.counting { try db.interrupted(by: budget) { try body(transaction) } }
                    } catch {
                        // What SQLite calls an interruption has a reason that the budget knows.
                        if (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT { try budget?.check() }
                        throw SQLiteFailure.translated(error)
                    }
                }
            }
        } catch let error as DatabaseError {
            // No connection, or no snapshot.
            let failure = SQLiteFailure.translated(error)
            if let fault = StorageFault(failure) { database.queries.health.report(fault, "\(error)") }
            throw failure
        }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await database.writes.write { try body($0) }
    }
}
