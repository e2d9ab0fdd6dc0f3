package import Domain
internal import Synchronization

/// A store whose writes can fail without effect, and come back after a kill as long as no later write has returned.
///
/// So do those of SQLite on a disk that does not confirm a sync, and those of PostgreSQL while a `COMMIT` is pending.
package final class RecoveringStore: ObjectStore {
    private struct State {
        /// The number of writes that fail next.
        var failures = 0
        /// The writes that failed since the last one that returned.
        var failed: [@Sendable () async throws -> Void] = []
    }

    private let base: MemoryObjectStore
    private let state = Mutex(State())

    package init(_ base: MemoryObjectStore) {
        self.base = base
    }

    package var changes: ChangeFeed { base.changes }
    package var isShared: Bool { base.isShared }
    package var coordination: (any ServerCoordination)? { base.coordination }

    /// Lets the next writes fail.
    package func failWrites(_ count: Int) { state.withLock { $0.failures = count } }

    /// Brings back the writes that failed, as the start after a kill.
    package func recover() async {
        for write in state.withLock({ $0.failed }) { try? await write() }
    }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(within: budget, body)
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let fails = state.withLock { state in
            defer { state.failures = max(0, state.failures - 1) }
            return state.failures > 0
        }
        guard fails else {
            defer { state.withLock { $0.failed = [] } }
            return try await base.write(body)
        }
        let failed: @Sendable () async throws -> Void = { [base] in _ = try await base.write(body) }
        state.withLock { $0.failed.append(failed) }
        throw StorageFault.failing.error()
    }
}
