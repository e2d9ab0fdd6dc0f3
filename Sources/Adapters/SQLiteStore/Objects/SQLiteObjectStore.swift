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
        // Read before the snapshot, so that every class in it has its table in the snapshot.
        let catalog = database.catalog.current
        var cache: (rows: RowCache, before: RowCache.Moment)?
        if budget == nil, database.rows.isEnabled {
            if let answer = answer(body, from: database.rows, catalog) { return try answer.get() }
            cache = (database.rows, database.rows.moment)
        }
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
        } catch let error as DatabaseError {
            // No connection, or no snapshot.
            let failure = SQLiteFailure.translated(error)
            if let fault = StorageFault(failure) { database.queries.health.report(fault, "\(error)") }
            throw failure
        }
    }

    /// The result of a body that reads only cached rows; `nil` if it needs the database.
    private func answer<Result>(
        _ body: (any ReadTransaction) throws -> Result,
        from cache: RowCache,
        _ catalog: Catalog
    ) -> Swift.Result<Result, any Error>? {
        let transaction = RowCacheTransaction(cache, catalog)
        let result = Swift.Result { try body(transaction) }
        guard !transaction.isIncomplete else { return nil }
        if transaction.isHit { cache.counts.count(isHit: true) }
        return result
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await database.writes.write { try body($0) }
    }
}
