import Domain
import Support
import Synchronization
import Testing

/// What becomes of a message when the database is lost while a worker has it.
@Suite struct LostStoreTests {
    @Test("a message that was leased without an answer is sent as soon as the store is back")
    func unknownLease() async throws {
        let store = ForgetfulStore(MemoryObjectStore(rehearsing: false))
        let app = try MailApp(store)
        _ = try await app.signUp("ann", "ann@example.org")
        store.lose(.answers, of: 1)
        await expectFailure(.storageReadOnly) { _ = try await app.queue.step() }
        // The row is leased for twenty minutes, and no worker knows it.
        #expect(try await app.queue.step() == nil)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await app.queue.run { _ in } }
            group.addTask { while app.fixture.sender.accepted.isEmpty, !Task.isCancelled { await Task.yield() } }
            group.addTask { try? await Task.sleep(for: .seconds(60)) }
            // Returns when the message was sent, or when it is late.
            await group.next()
            group.cancelAll()
        }
        #expect(app.fixture.sender.accepted.count == 1)
    }

    @Test(
        "a message that was sent while the store was away is sent once",
        arguments: [ForgetfulStore.Loss.answers, .writes]
    )
    func sentOnce(loss: ForgetfulStore.Loss) async throws {
        let store = ForgetfulStore(MemoryObjectStore(rehearsing: false))
        let app = try MailApp(store)
        _ = try await app.signUp("ann", "ann@example.org")
        app.fixture.sender.whenAccepted { store.lose(loss, of: 2) }
        #expect(try await app.queue.step() == .sent)
        #expect(app.fixture.sender.accepted.count == 1)
        #expect(try await app.queued() == [])
    }
}

/// A store that cannot be reached for some writes.
final class ForgetfulStore: ObjectStore {
    enum Loss: Sendable {
        /// The writes are committed, and fail for the caller.
        case answers
        /// The writes are not made.
        case writes
    }

    private struct Lost: Error {}

    private let base: MemoryObjectStore
    private let state = Mutex((loss: Loss.writes, count: 0))

    init(_ base: MemoryObjectStore) {
        self.base = base
    }

    var changes: ChangeFeed { base.changes }

    /// Lets the next writes be lost.
    func lose(_ loss: Loss, of count: Int) { state.withLock { $0 = (loss, count) } }

    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(within: budget, body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let loss = state.withLock { state -> Loss? in
            guard state.count > 0 else { return nil }
            state.count -= 1
            return state.loss
        }
        let error = ServiceError(.storageReadOnly, "The store cannot be reached.", cause: Lost())
        if loss == .writes { throw error }
        let result = try await base.write(body)
        if loss == .answers { throw error }
        return result
    }
}
