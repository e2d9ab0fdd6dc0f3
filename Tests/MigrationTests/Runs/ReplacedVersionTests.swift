import Synchronization
import Testing

@testable import Migration

/// Items whose source changes between the processes that send them.
@Suite struct ReplacedVersionTests {
    private let folder: TestFolder
    private let identity = JournalIdentity(source: "import photos", server: "http://127.0.0.1:1", app: "a")

    init() throws {
        folder = try TestFolder()
    }

    /// Sends an item in a process of its own.
    ///
    /// - Returns: The entry with which the item was sent.
    private func send(_ word: Word, ending end: ItemEnd) async throws -> JournalEntry {
        var rules = RepeatRules()
        (rules.failed, rules.changed) = (true, true)
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: rules)
        let entries = Mutex<[JournalEntry]>([])
        let open: @Sendable () -> Words = { Words([word]) }
        try await run.send("word", from: open) { planned, _ in
            entries.withLock { $0.append(planned[0].entry) }
            return [end]
        }
        let sent = entries.withLock(\.self)
        return try #require(sent.first)
    }

    private func end(_ name: String) -> ItemEnd {
        switch name {
        case "done": .done
        case "failed": .failed("no")
        default: .interrupted
        }
    }

    @Test(
        "an item that changed gets a new objectId and replaces the earlier version after each end of it",
        arguments: ["done", "failed", "interrupted"]
    )
    func changed(earlier: String) async throws {
        let first = try await send(Word("a"), ending: end(earlier))
        let second = try await send(Word("a", version: "2"), ending: .done)
        #expect(second.objectId != first.objectId)
        #expect(second.replaced == [first.objectId])
    }

    @Test("an item that changed again replaces all versions whose end is not known")
    func changedTwice() async throws {
        let first = try await send(Word("a"), ending: .interrupted)
        let second = try await send(Word("a", version: "2"), ending: .interrupted)
        let third = try await send(Word("a", version: "3"), ending: .done)
        #expect(third.replaced == [first.objectId, second.objectId])
    }

    @Test("an item that failed replaces the same versions when it is tried again")
    func failed() async throws {
        let first = try await send(Word("a"), ending: .done)
        let second = try await send(Word("a", version: "2"), ending: .failed("no"))
        let third = try await send(Word("a", version: "2"), ending: .done)
        #expect(third.objectId == second.objectId)
        #expect(third.replaced == [first.objectId])
    }

    @Test("a version that was replaced is not replaced again")
    func replacedOnce() async throws {
        _ = try await send(Word("a"), ending: .interrupted)
        let second = try await send(Word("a", version: "2"), ending: .done)
        let third = try await send(Word("a", version: "3"), ending: .done)
        #expect(third.replaced == [second.objectId])
    }

    @Test("an item keeps the objectId of the source when it changes", arguments: ["done", "failed", "interrupted"])
    func ownID(earlier: String) async throws {
        _ = try await send(Word("a", id: "1"), ending: end(earlier))
        let second = try await send(Word("a", version: "2", id: "1"), ending: .done)
        #expect(second.objectId == "1")
        #expect(second.replaced.isEmpty)
    }

    @Test(
        "an objectId that the source does not have any more is replaced only if the item was stored under it",
        arguments: [("done", ["1"]), ("failed", []), ("interrupted", [])] as [(String, [String])]
    )
    func formerID(earlier: String, replaced: [String]) async throws {
        _ = try await send(Word("a", id: "1"), ending: end(earlier))
        let second = try await send(Word("a", version: "2"), ending: .done)
        #expect(second.objectId != "1")
        #expect(second.replaced == replaced)
    }
}
