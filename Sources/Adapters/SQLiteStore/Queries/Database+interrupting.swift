internal import Domain
internal import GRDB
internal import GRDBSQLite

extension Database {
    /// Runs a body whose statements end with `SQLITE_INTERRUPT` once a budget is spent.
    ///
    /// SQLite calls the handler from the running statement after a fixed number of virtual-machine instructions: some
    /// tens of microseconds. It must not be set during changes, because an interrupted change rolls back the whole
    /// transaction (sqlite3_interrupt).
    func interrupted<Result>(by budget: QueryBudget, _ body: () throws -> Result) rethrows -> Result {
        try withExtendedLifetime(budget) {
            sqlite3_progress_handler(
                sqliteConnection,
                1000,
                { context in
                    guard let context else { return 0 }
                    return Unmanaged<QueryBudget>.fromOpaque(context).takeUnretainedValue().isSpent ? 1 : 0
                },
                Unmanaged.passUnretained(budget).toOpaque()
            )
            defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
            return try body()
        }
    }
}
