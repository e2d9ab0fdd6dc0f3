internal import Domain
internal import GRDB
internal import Glibc
package import NIOPosix

/// Threads that read databases: some run only queries, with a lower priority than those of look-ups.
///
/// They call GRDB's synchronous functions: one switch to a thread and one back. Its asynchronous ones switch to a queue
/// that waits for a connection and to one of the connection, which costs more than the look-up of an object.
///
/// On Linux a priority belongs to a thread, and a lowered priority is never raised again. So quick and slow queries have
/// separate threads (docs/queries.md, "Fairness"). Apps can share those of queries, but not those of look-ups: a thread
/// waits while all connections of its database are in use.
package struct ReadThreads: Sendable {
    /// The nice value of threads of quick queries.
    ///
    /// When processor time is short, such a thread gets a third of the time of one that serves other requests, such as
    /// an object by its id.
    private static let quickNiceness: CInt = 5
    /// The nice value of threads of slow queries, which get a sixth; only slow image jobs have a higher one.
    private static let slowNiceness: CInt = 8

    private let lookups: NIOThreadPool
    private let quick: NIOThreadPool
    private let slow: NIOThreadPool

    /// Creates the threads from started pools, which the caller stops.
    package init(lookups: NIOThreadPool, quick: NIOThreadPool, slow: NIOThreadPool) {
        self.lookups = lookups
        self.quick = quick
        self.slow = slow
    }

    /// Runs a look-up, such as the read of an object by its id.
    func lookUp<Result: Sendable>(
        in pool: DatabasePool,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await lookups.runIfActive { try pool.read(body) }
    }

    /// Runs a read of a query.
    func read<Result: Sendable>(
        _ pool: DatabasePool,
        isSlow: Bool,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await (isSlow ? slow : quick).runIfActive {
            let niceness = isSlow ? ReadThreads.slowNiceness : ReadThreads.quickNiceness
            // 0 is the calling thread. Increasing the nice value is always permitted.
            _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
            return try pool.read(body)
        }
    }
}

extension SQLiteDatabase {
    /// Runs a read in its own snapshot; a read with a budget is a query, any other a look-up.
    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        guard let readThreads else { return try await pool.read(body) }
        guard let budget else { return try await readThreads.lookUp(in: pool, body) }
        return try await readThreads.read(pool, isSlow: budget.isSlow, body)
    }
}
