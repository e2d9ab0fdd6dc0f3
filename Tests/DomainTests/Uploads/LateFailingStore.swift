import Domain
import Support
import Synchronization

/// A store whose writes can fail after their commit, as those of a disk that does not confirm a sync.
final class LateFailingStore: ObjectStore {
    private let base: MemoryObjectStore
    private let failures = Mutex(0)

    init(_ base: MemoryObjectStore) {
        self.base = base
    }

    var changes: ChangeFeed { base.changes }
    var isShared: Bool { base.isShared }

    /// Lets the next writes fail.
    func failWrites(_ count: Int) { failures.withLock { $0 = count } }

    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(within: budget, body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await base.write(body)
        let fails = failures.withLock { failures in
            defer { failures = max(0, failures - 1) }
            return failures > 0
        }
        if fails { throw StorageFault.failing.error() }
        return result
    }
}
