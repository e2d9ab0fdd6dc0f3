internal import Domain
internal import GRDB
internal import Glibc
package import NIOPosix

/// Threads that run only queries, with lower priority than those of shorter requests.
///
/// On Linux a priority belongs to a thread, and a lowered priority is never raised again. So quick and slow queries
/// have separate threads (docs/queries.md, "Fairness"). Apps can share them.
package struct QueryThreads: Sendable {
    /// The nice value of threads of quick queries.
    ///
    /// When processor time is short, such a thread gets a third of the time of one that serves other requests, such as
    /// an object by its id.
    private static let quickNiceness: CInt = 5
    /// The nice value of threads of slow queries, which get a sixth; only slow image jobs have a higher one.
    private static let slowNiceness: CInt = 8

    private let quick: NIOThreadPool
    private let slow: NIOThreadPool

    /// Creates the threads from started pools, which the caller stops.
    package init(quick: NIOThreadPool, slow: NIOThreadPool) {
        self.quick = quick
        self.slow = slow
    }

    /// Runs a read of a query on one of the threads, where GRDB also runs the body.
    func read<Result: Sendable>(
        _ pool: DatabasePool,
        isSlow: Bool,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await (isSlow ? slow : quick).runIfActive {
            let niceness = isSlow ? QueryThreads.slowNiceness : QueryThreads.quickNiceness
            // 0 is the calling thread. Increasing the nice value is always permitted.
            _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
            return try pool.read(body)
        }
    }
}

extension SQLiteDatabase {
    /// Runs a read in its own snapshot; a read with a budget is a query and runs on the query threads.
    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        guard let budget, let queryThreads else { return try await pool.read(body) }
        return try await queryThreads.read(pool, isSlow: budget.isSlow, body)
    }
}
