package import Domain
internal import Synchronization

/// Objects in memory, matched by Domain's own rules; for tests of code that uses an ``ObjectStore``.
///
/// Bodies run concurrently, each on a snapshot. A commit is refused if another one has changed data that the body has
/// read, and the body runs again. Each body also runs twice without a commit before it counts, so that an effect
/// outside its transaction fails a test: once to its end, and once until a call throws.
package final class MemoryObjectStore: ObjectStore {
    package let changes = ChangeFeed()
    package let isShared: Bool
    package let coordination: (any ServerCoordination)?
    private let state = Mutex(MemoryState())
    /// Held from a commit until its changes are published.
    private let turn = Mutex(())
    private let failures: Mutex<(error: any Error, count: Int)?>
    private let rehearses: Bool
    private let reads = Counter()
    private let textQueries = Counter()
    private let rehearsals = Counter()
    private let running = RunningWrites()
    private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// The number of conflicts after which a body runs while no other commits, so that it succeeds.
    private static let maxConflicts = 4

    /// - Parameters:
    ///   - failure: The error that writes throw, for tests of its handling.
    ///   - count: The number of writes that throw it.
    ///   - rehearses: Whether bodies run without a commit before they count.
    ///   - isShared: Whether it says that other servers use it, too: the services of several servers can be given one
    ///     store.
    ///   - coordination: What they agree on; `nil` for one that makes no faults. Only of a shared store.
    package init(
        failingWritesWith failure: (any Error)? = nil,
        times count: Int = .max,
        rehearsing rehearses: Bool = true,
        isShared: Bool = false,
        coordination: MemoryCoordination? = nil
    ) {
        self.isShared = isShared
        self.coordination = isShared ? coordination ?? MemoryCoordination() : nil
        failures = Mutex(failure.map { ($0, count) })
        self.rehearses = rehearses
    }

    /// The number of reads.
    package var readCount: Int { reads.value }

    /// The number of queries for one field in the bodies of writes, with those of bodies that ran without a commit.
    package var textQueryCount: Int { textQueries.value }

    /// The number of objects of a class.
    package func count(of name: ClassName) -> Int {
        state.withLock { $0.objects[name, default: []].count }
    }

    /// Runs a body once, between the next run of a transaction's body and its commit.
    package func beforeNextCommit(_ body: @escaping @Sendable () async throws -> Void) {
        hook.withLock { $0 = body }
    }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        _ = reads.next()
        let snapshot = state.withLock { $0 }
        guard let budget else {
            if rehearses { _ = try? body(MemoryTransaction(snapshot)) }
            return try body(MemoryTransaction(snapshot))
        }
        return try budget.counting { try body(MemoryTransaction(snapshot, within: budget)) }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try failures.withLock { failures in
            guard let (error, count) = failures, count > 0 else { return }
            failures?.count = count - 1
            throw error
        }
        if rehearses { rehearse(body) }
        let number = running.begin()
        defer { running.end(number) }
        for _ in 0..<MemoryObjectStore.maxConflicts {
            let transaction = begin()
            let result = try body(transaction)
            try await beforeCommit()
            if turn.withLock({ _ in commit(transaction) }) { return result }
        }
        return try turn.withLock { _ in
            let transaction = begin()
            let result = try body(transaction)
            precondition(commit(transaction), "nothing else commits during this turn")
            return result
        }
    }

    package func awaitRunningWrites() async { await running.wait() }

    /// Runs a body as in a store whose commit fails, and as in one whose connection fails.
    private func rehearse<Result>(_ body: (any WriteTransaction) throws -> Result) {
        let whole = begin()
        _ = try? body(whole)
        guard whole.calls > 0 else { return }
        _ = try? body(begin(endingAfter: rehearsals.next() % whole.calls))
    }

    private func begin(endingAfter calls: Int = .max) -> MemoryTransaction {
        // Before the snapshot, so that a subscriber misses no commit between the two.
        let changes = changes.transaction()
        return MemoryTransaction(
            state.withLock { $0 },
            recording: changes,
            endingAfter: calls,
            countingTexts: textQueries
        )
    }

    /// Lets other tasks run between a body and its commit.
    private func beforeCommit() async throws {
        let body = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        if let body { try await body() } else { await Task.yield() }
    }

    /// Commits the transaction; returns `false` if its body has to run again.
    private func commit(_ transaction: MemoryTransaction) -> Bool {
        let isCommitted = state.withLock { $0.commit(transaction.touched, of: transaction.state) }
        if isCommitted { changes.publish(transaction.changes) }
        return isCommitted
    }
}
