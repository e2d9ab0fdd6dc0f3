import Domain
import Support
import Synchronization
import Testing

/// What becomes of a message when the database is lost while a worker has it.
@Suite struct LostStoreTests {
    @Test("a message that was leased without an answer is sent as soon as the store is back")
    func unknownLease() async throws {
        let lost = LostWrites()
        let app = try MailApp(lost.store(on: MemoryObjectStore(rehearsing: false)))
        _ = try await app.signUp("ann", "ann@example.org")
        lost.lose(.answers, of: 1)
        await expectFailure(.unavailable) { _ = try await app.queue.step() }
        // The row is leased for twenty minutes, and no worker knows it.
        #expect(try await app.queue.step() == nil)
        let worker = Task { await app.queue.run { _ in } }
        defer { worker.cancel() }
        try await eventually { !app.fixture.sender.accepted.isEmpty }
        worker.cancel()
        await worker.value
        #expect(app.fixture.sender.accepted.count == 1)
    }

    @Test(
        "a message that was sent while the store was away is sent once",
        arguments: [LostWrites.Loss.answers, .writes]
    )
    func sentOnce(loss: LostWrites.Loss) async throws {
        let lost = LostWrites()
        let app = try MailApp(lost.store(on: MemoryObjectStore(rehearsing: false)))
        _ = try await app.signUp("ann", "ann@example.org")
        app.fixture.sender.whenAccepted { lost.lose(loss, of: 2) }
        #expect(try await app.queue.step() == .sent)
        #expect(app.fixture.sender.accepted.count == 1)
        #expect(try await app.queued() == [])
    }
}

/// Writes for which a store cannot be reached.
final class LostWrites: Sendable {
    enum Loss: Sendable {
        /// The writes are committed, and fail for the caller.
        case answers
        /// The writes are not made.
        case writes
    }

    private struct Lost: Error {}

    private let state = Mutex((loss: Loss.writes, count: 0))

    /// Lets the next writes be lost.
    func lose(_ loss: Loss, of count: Int) { state.withLock { $0 = (loss, count) } }

    func store(on base: MemoryObjectStore) -> HookedStore {
        HookedStore(
            base,
            beforeWrite: { [self] in try look(at: .writes) },
            afterWrite: { [self] in try look(at: .answers) }
        )
    }

    private func look(at loss: Loss) throws {
        let isLost = state.withLock { state in
            guard state.count > 0, state.loss == loss else { return false }
            state.count -= 1
            return true
        }
        if isLost { throw ServiceError(.unavailable, "The store cannot be reached.", cause: Lost()) }
    }
}
