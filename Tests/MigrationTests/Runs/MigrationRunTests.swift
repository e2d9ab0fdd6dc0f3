import FileClient
import Glibc
import Synchronization
import Testing

@testable import Migration

@Suite struct MigrationRunTests {
    private let folder: TestFolder
    private let identity = JournalIdentity(source: "import photos", server: "http://127.0.0.1:1", app: "a")

    init() throws {
        folder = try TestFolder()
    }

    private func run(
        _ words: [Word],
        concurrency: Int = 3,
        batch: Int = 1,
        repeating rules: RepeatRules = RepeatRules(),
        ending end: @escaping @Sendable (Word) -> ItemEnd = { _ in .done }
    ) async throws -> (sent: [[String]], passed: [String: PassedReason], totals: [ItemState: ItemTotals]) {
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let seen = SeenItems()
        let run = MigrationRun(journal, seen, concurrency: concurrency, repeating: rules)
        let sent = Mutex<[[String]]>([])
        var failure: (any Error)?
        do {
            let open: @Sendable () -> Words = { Words(words) }
            try await run.send("word", inBatchesOf: .init(items: batch), from: open) { planned, _ in
                sent.withLock { $0.append(planned.map(\.item.name)) }
                return planned.map { end($0.item) }
            }
        } catch {
            failure = error
        }
        let totals = try await journal.totals()["word"] ?? [:]
        if let failure { throw failure }
        return (sent.withLock(\.self), seen.passed.withLock(\.self), totals)
    }

    @Test("every item of several pages is sent once")
    func all() async throws {
        let words = (0..<1203).map { Word("w\($0)") }
        let first = try await run(words)
        #expect(Set(first.sent.flatMap(\.self)) == Set(words.map(\.name)))
        #expect(first.sent.count == words.count)
        let second = try await run(words)
        #expect(second.sent.isEmpty)
        #expect(second.totals == [.done: ItemTotals(count: 1203, bytes: 1203)])
    }

    @Test("batches hold at most as many items as they can, over the ends of pages")
    func batches() async throws {
        let result = try await run((0..<1203).map { Word("w\($0)") }, batch: 100)
        #expect(result.sent.map(\.count).sorted() == [3] + Array(repeating: 100, count: 12))
    }

    @Test("a failed item stays failed until failed ones are tried again")
    func failed() async throws {
        let words = [Word("a"), Word("b")]
        let first = try await run(words) { $0.name == "b" ? .failed("no") : .done }
        #expect(first.totals == [.done: ItemTotals(count: 1, bytes: 1), .failed: ItemTotals(count: 1, bytes: 1)])
        let second = try await run(words)
        #expect(second.sent.isEmpty)
        #expect(second.passed == ["a": .done, "b": .failedBefore])
        var rules = RepeatRules()
        rules.failed = true
        #expect(try await run(words, repeating: rules).sent == [["b"]])
    }

    @Test("a failed item that has changed is tried again")
    func failedAndChanged() async throws {
        _ = try await run([Word("a")]) { _ in .failed("no") }
        #expect(try await run([Word("a", version: "2")]).sent == [["a"]])
    }

    @Test("an item whose end is not known is sent again, with the same objectId")
    func interrupted() async throws {
        let ids = Mutex<[String]>([])
        for _ in 0..<2 {
            let journal = try Journal(at: "\(folder.path)/j", for: identity)
            let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
            let open: @Sendable () -> Words = { Words([Word("a")]) }
            try await run.send("word", from: open) { planned, _ in
                ids.withLock { $0.append(planned[0].entry.objectId) }
                return [.interrupted]
            }
        }
        let seen = ids.withLock(\.self)
        #expect(seen.count == 2 && seen[0] == seen[1])
    }

    @Test("an error about the server stops the run, and its items wait")
    func stopped() async throws {
        let words = (0..<10).map { Word("w\($0)") }
        await #expect(throws: MigrationError.self) {
            _ = try await run(words, concurrency: 1) { word in
                word.name == "w3" ? .stopped(MigrationError("the disk is full")) : .done
            }
        }
        #expect(try await run(words, concurrency: 1).sent == (3..<10).map { ["w\($0)"] })
    }

    @Test("a changed item is reported, and sent with another objectId if changes are")
    func changed() async throws {
        _ = try await run([Word("a")])
        let second = try await run([Word("a", version: "2")])
        #expect(second.passed == ["a": .changed])
        #expect(second.totals == [.changed: ItemTotals(count: 1, bytes: 1)])
        var rules = RepeatRules()
        rules.changed = true
        let third = try await run([Word("a", version: "2")], repeating: rules)
        #expect(third.sent == [["a"]])
        #expect(third.totals == [.done: ItemTotals(count: 1, bytes: 1)])
    }

    @Test("the earlier version of a changed item is known until the new one is stored")
    func replaced() async throws {
        let entries = Mutex<[JournalEntry]>([])
        var rules = RepeatRules()
        rules.changed = true
        for (version, end) in [("1", ItemEnd.done), ("2", .interrupted), ("2", .done)] {
            let journal = try Journal(at: "\(folder.path)/j", for: identity)
            let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: rules)
            let open: @Sendable () -> Words = { Words([Word("a", version: version)]) }
            try await run.send("word", from: open) { planned, _ in
                entries.withLock { $0.append(planned[0].entry) }
                return [end]
            }
        }
        let seen = entries.withLock(\.self)
        try #require(seen.count == 3)
        #expect(seen[1].replaced == [seen[0].objectId])
        #expect(seen[2].replaced == [seen[0].objectId])
        #expect(seen[2].objectId == seen[1].objectId)
    }

    @Test("an item that the source has twice is sent once; it fails if the contents differ")
    func repeated() async throws {
        let result = try await run([Word("a"), Word("b"), Word("a"), Word("b", version: "2")])
        #expect(Set(result.sent.flatMap(\.self)) == ["a", "b"])
        #expect(result.passed["a"] == .repeated)
        #expect(result.totals[.failed] == ItemTotals(count: 1, bytes: 0))
    }

    /// Compares words with a server that has what was imported, and returns the compared names and the differences.
    private func verify(_ words: [Word]) async throws -> (compared: [String], differences: [String: String]) {
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        let compared = Mutex<[String]>([])
        try await journal.beginVerification()
        let open: @Sendable () -> Words = { Words(words) }
        try await run.verify("word", from: open) { planned, _ in
            compared.withLock { $0 += planned.map(\.item.name) }
            return planned.map { _ in .done }
        }
        let found = try await journal.differences(100).map { ($0.name, $0.reason) }
        #expect(try await journal.differenceCount() == found.count)
        return (compared.withLock(\.self), Dictionary(found) { first, _ in first })
    }

    @Test("a verification names what was not imported, failed or changed since")
    func verification() async throws {
        _ = try await run([Word("a"), Word("b"), Word("c")]) { $0.name == "b" ? .failed("no") : .done }
        let result = try await verify([Word("a"), Word("b"), Word("c", version: "2"), Word("d")])
        #expect(result.compared == ["a"])
        #expect(
            result.differences == [
                "b": "was not imported: no", "c": "changed since the import; --update sends it again",
                "d": "was not imported",
            ]
        )
    }

    @Test("a verification without an import has only differences")
    func verificationWithoutImport() async throws {
        let result = try await verify([Word("a"), Word("b")])
        #expect(result.compared.isEmpty)
        #expect(result.differences == ["a": "was not imported", "b": "was not imported"])
    }

    @Test("items with objectIds of their own are compared, also without a row in the journal")
    func verificationByOwnID() async throws {
        _ = try await run([Word("a", id: "1"), Word("b", id: "2")]) { $0.name == "b" ? .failed("no") : .done }
        let result = try await verify([Word("a", version: "2", id: "1"), Word("b", id: "2"), Word("c", id: "3")])
        #expect(result.compared == ["a", "b", "c"])
        #expect(result.differences.isEmpty)
    }

    @Test("only the owner of a journal is able to read it, also while it is written")
    func mode() async throws {
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        for name in ["j", "j-wal"] {
            var status = stat()
            try #require(stat("\(folder.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(try await journal.totals().isEmpty)
    }

    @Test("a journal of another migration is refused")
    func identity() async throws {
        _ = try await run([Word("a")])
        let other = JournalIdentity(source: "import photos", server: "http://127.0.0.1:2", app: "a")
        let error = #expect(throws: MigrationError.self) { try Journal(at: "\(folder.path)/j", for: other) }
        #expect(error?.description.contains("belongs to 'import photos' to http://127.0.0.1:1, app a") == true)
    }

    @Test("a second process cannot use a journal")
    func locked() throws {
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let error = #expect(throws: MigrationError.self) { try Journal(at: journal.path, for: identity) }
        #expect(error?.description == "another process uses the journal \(journal.path)")
    }

    @Test("a file that is no journal is not changed")
    func noJournal() throws {
        let path = try folder.write(String(repeating: "holiday ", count: 1000), to: "notes.txt")
        let error = #expect(throws: MigrationError.self) { try Journal(at: path, for: identity) }
        #expect(error?.description == "\(path) is not a journal; name another file with --journal")
    }
}

/// An item with a name and a version.
struct Word: MigrationItem {
    let name: String
    let size: Int64? = 1
    let fingerprint: String
    let objectId: String?

    init(_ name: String, version: String = "1", id: String? = nil) {
        self.name = name
        fingerprint = version
        objectId = id
    }
}

struct Words: ItemSource {
    private var words: ArraySlice<Word>

    init(_ words: [Word]) {
        self.words = words[...]
    }

    mutating func next() -> SourceElement<Word>? {
        words.popFirst().map { .item($0) }
    }
}

/// Remembers what was passed.
final class SeenItems: MigrationObserver {
    let passed = Mutex<[String: PassedReason]>([:])

    func began(_ kind: String) {}

    func passed(_ name: String, of kind: String, bytes: Int64, _ reason: PassedReason) {
        passed.withLock { $0[name] = reason }
    }

    func began(_ batch: Int, _ name: String) {}

    func sent(_ bytes: Int64, of batch: Int) {}

    func ended(_ name: String, of kind: String, bytes: Int64, _ end: ItemEnd) {}

    func ended(_ batch: Int) {}
}
