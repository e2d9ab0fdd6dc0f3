package import Domain
internal import Synchronization

/// The store of one of several servers, whose changes of the others arrive when a test lets them.
///
/// As in PostgreSQL, a server has the changes of all others before its own next change.
package final class ServerStore: ObjectStore {
    package let changes = ChangeFeed()
    package let isShared = true
    private let base: MemoryObjectStore
    private let state = Mutex((pending: [ChangeFeed.Event](), isHeld: false, losesAtWrite: false))
    private let turn = Mutex(())
    private let failure = Mutex<(any Error)?>(nil)

    /// - Parameter base: What all servers have.
    package init(of base: MemoryObjectStore) {
        self.base = base
        base.changes.subscribe(to: [ChangeFilter(nil, states: [.before, .after])]) { [weak self] event in
            guard let self else { return }
            let isHeld = state.withLock { state in
                state.pending.append(event)
                return state.isHeld
            }
            if !isHeld { publish() }
        }
    }

    /// Keeps the changes of other servers back.
    package func hold() { state.withLock { $0.isHeld = true } }

    /// Publishes what was kept back, and the following changes at once.
    package func release() {
        state.withLock { $0.isHeld = false }
        publish()
    }

    /// Loses what was kept back.
    package func lose() {
        state.withLock { $0 = ([], false, false) }
        changes.publishMissed()
    }

    /// Lets the next write find out, at its beginning, that changes were lost.
    package func loseAtNextWrite() { state.withLock { $0.losesAtWrite = true } }

    /// Lets reads and writes fail, or work again.
    package func fail(with error: (any Error)?) { failure.withLock { $0 = error } }

    private func publish() {
        turn.withLock { _ in
            while let event = state.withLock({ $0.pending.isEmpty ? nil : $0.pending.removeFirst() }) {
                guard case .changes(let list) = event else {
                    changes.publishMissed()
                    continue
                }
                var transaction = changes.transaction()
                for change in list {
                    transaction.record(
                        change.kind,
                        change.id,
                        in: change.className,
                        before: change.before,
                        after: change.after
                    )
                }
                changes.publish(transaction)
            }
        }
    }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        if let error = failure.withLock(\.self) { throw error }
        return try await base.read(within: budget, body)
    }

    package func awaitRunningWrites() async {
        await base.awaitRunningWrites()
        publish()
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        if let error = failure.withLock(\.self) { throw error }
        if state.withLock(\.losesAtWrite) { lose() }
        publish()
        let result = try await base.write(body)
        publish()
        return result
    }
}
