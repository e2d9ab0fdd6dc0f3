internal import Domain
internal import GRDB
internal import Glibc
package import NIOPosix

/// Threads for queries and nothing else, of lower priority than those that answer a request in less time.
///
/// On Linux a priority belongs to a thread, and one that was lowered is never raised again. So quick and slow queries
/// have threads of their own (docs/queries.md, "Fairness"). Apps may share them.
package struct QueryThreads: Sendable {
    /// How nice a thread of quick queries is: it gets a third of the processor time of one that answers what is not a
    /// query, such as an object by its id, while there is not enough for both.
    private static let quickNiceness: CInt = 5
    /// How nice a thread of slow queries is, which gets a sixth; only images that take long are nicer.
    private static let slowNiceness: CInt = 8

    private let quick: NIOThreadPool
    private let slow: NIOThreadPool

    /// Takes the threads of quick and those of slow queries, started; whoever made them stops them.
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
            // 0 names the calling thread. Only ever nicer, so nothing refuses it.
            _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
            return try pool.read(body)
        }
    }
}

extension SQLiteDatabase {
    /// Runs a read in a snapshot of its own; one within a budget is a query, and runs on the threads of those.
    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        guard let budget, let queryThreads else { return try await pool.read(body) }
        return try await queryThreads.read(pool, isSlow: budget.isSlow, body)
    }
}
