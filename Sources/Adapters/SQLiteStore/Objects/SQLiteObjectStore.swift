package import Domain
internal import GRDB

/// Objects in SQLite: a table for each class (docs/decisions/0001-a-table-per-class.md).
package struct SQLiteObjectStore: ObjectStore {
    private let database: SQLiteDatabase

    /// Creates a store in an open database.
    package init(_ database: SQLiteDatabase) {
        self.database = database
    }

    package var changes: ChangeFeed { database.changes }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await read(within: budget, cachingIn: nil, body)
    }

    package func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        let cache = database.rows
        guard cache.isEnabled else { return try await read(within: nil, body) }
        let transaction = RowCacheTransaction(cache, database.catalog.current)
        let result = Swift.Result { try body(transaction) }
        guard transaction.isIncomplete else {
            if transaction.isHit { cache.counts.count(isHit: true) }
            return try result.get()
        }
        return try await read(within: nil, cachingIn: cache, body)
    }

    /// Runs a body on a snapshot, and stores the rows that it reads by id in a cache.
    private func read<Result: Sendable>(
        within budget: QueryBudget?,
        cachingIn rows: RowCache?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        // Both are read before the snapshot: every class in the catalog has its table in the snapshot, and no commit
        // before the moment is missing in it.
        let catalog = database.catalog.current
        let cache = rows.map { ($0, before: $0.moment) }
        do {
            return try await database.read(within: budget) { [queries = database.queries, cache] db in
                // Reported here, on a thread that is allowed to block.
                try queries.health.reporting {
                    do {
                        let transaction = SQLiteTransaction(db, catalog, queries, within: budget, cachingIn: cache)
                        guard let budget else { return try body(transaction) }
                        return try budget.counting { try db.interrupted(by: budget) { try body(transaction) } }
                    } catch {
                        // The budget knows the reason of an interruption.
                        if (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT { try budget?.check() }
                        throw SQLiteFailure.translated(error)
                    }
                }
            }
        } catch let displacement as StorageDisplacement {
            throw database.queries.health.reported(displacement.refusal)
        } catch let error as DatabaseError {
            // No connection, or no snapshot.
            if error.resultCode == .SQLITE_CANTOPEN, let displacement = database.displacement {
                throw database.queries.health.reported(displacement.refusal)
            }
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
