internal import Domain
internal import NIOPosix
internal import Synchronization

/// What the servers of one schema agree on: rows of the table `lease`, advisory locks, and `state.callers`.
///
/// Its queries have a thread of their own, so that slow ones of clients do not end leases.
final class PostgresCoordination: ServerCoordination {
    private struct State {
        /// The calls that the next query answers.
        var waiting: [CheckedContinuation<Bool, any Error>] = []
        var isRunning = false
    }

    private let pool: ConnectionPool
    private let relay: ChangeRelay
    private let claim: SchemaClaim
    private let thread: NIOThreadPool
    private let locks: SessionLocks
    private let state = Mutex(State())

    /// How long the database can be silent when leases are renewed: less than the time between two renewals.
    private static let leasePatience = Duration.seconds(3)
    /// How long it can be silent while requests wait.
    private static let patience = Duration.seconds(5)

    init(_ pool: ConnectionPool, _ relay: ChangeRelay, _ claim: SchemaClaim) {
        self.pool = pool
        self.relay = relay
        self.claim = claim
        thread = NIOThreadPool(numberOfThreads: 2)
        locks = SessionLocks(pool)
    }

    func take(_ jobs: Set<LeasedJob>, for holder: String, lasting time: Duration) async throws -> Set<LeasedJob> {
        let names = jobs.map(\.rawValue).sorted()
        let milliseconds = Int64(time / .milliseconds(1))
        let result = try await run { connection in
            // A lease of another server takes no row lock, and so no write, while it lasts.
            let result = try connection.run(
                """
                INSERT INTO lease (name, holder, ends) \
                SELECT name, \(holder), clock_timestamp() + \(milliseconds) * interval '1 millisecond' \
                FROM unnest(\(names)) AS wanted (name) WHERE NOT EXISTS (\
                SELECT 1 FROM lease WHERE lease.name = wanted.name AND lease.holder <> \(holder) \
                AND lease.ends > clock_timestamp()) ORDER BY name \
                ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, ends = excluded.ends \
                WHERE lease.holder = excluded.holder OR lease.ends <= clock_timestamp() RETURNING lease.name
                """
            )
            return (0..<result.count).compactMap { result.text($0, 0).flatMap(LeasedJob.init(rawValue:)) }
        }
        return Set(result)
    }

    func release(_ jobs: Set<LeasedJob>, of holder: String) async throws {
        let names = jobs.map(\.rawValue).sorted()
        try await run { connection in
            _ = try connection.run("DELETE FROM lease WHERE name = ANY(\(names)) AND holder = \(holder)")
        }
    }

    func lock(_ names: [String], _ scope: LockScope) async throws {
        try claim.require()
        try await locks.lock(names, scope)
    }

    func unlock(_ names: [String], _ scope: LockScope) async {
        await locks.unlock(names, scope)
    }

    /// Calls at the same time share one query, which begins after all of them.
    func hasPublishedCallers() async throws -> Bool {
        try claim.require()
        return try await withCheckedThrowingContinuation { continuation in
            let mustStart = state.withLock { state in
                state.waiting.append(continuation)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard mustStart else { return }
            thread.submit { [self] poolState in
                while let group = nextGroup() {
                    let result = Result {
                        guard case .active = poolState else { throw PostgresError.loss("the store is closed") }
                        return try pool.withConnection(patience: PostgresCoordination.patience, publishCallers)
                    }.mapError { ($0 as? PostgresError)?.translated ?? $0 }
                    for continuation in group { continuation.resume(with: result) }
                }
            }
        }
    }

    private func nextGroup() -> [CheckedContinuation<Bool, any Error>]? {
        state.withLock { state in
            defer { state.waiting = [] }
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning ? state.waiting : nil
        }
    }

    private func publishCallers(_ connection: PostgresConnection) throws -> Bool {
        let last = try connection.run("SELECT callers FROM state").integer(0, 0) ?? .max
        if try relay.publishedNumber(for: connection) >= last { return true }
        try relay.relay(connection)
        return try relay.publishedNumber(for: connection) >= last
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        try await thread.runIfActive { [pool] in
            do {
                return try pool.withConnection(patience: PostgresCoordination.leasePatience, body)
            } catch let error as PostgresError {
                throw error.translated
            }
        }
    }

    func start() {
        thread.start()
        locks.start()
    }

    /// Ends the threads and locks; later calls throw.
    func close() async throws {
        try await thread.shutdownGracefully()
        try await locks.close()
    }
}
