import FileClient
import Testing

@testable import Migration

@Suite struct FileCandidatesTests {
    private let folder: TestFolder
    private let journal: Journal

    init() throws {
        folder = try TestFolder()
        journal = try Journal(
            at: "\(folder.path)/j",
            for: JournalIdentity(source: "delete --unreferenced", server: "http://127.0.0.1:1", app: "a")
        )
    }

    private func record(_ id: String) -> FileRecord {
        FileRecord(fields: ["objectId": .string(id), "key": .string("\(id).png")])
    }

    /// The candidates that a deletion would send.
    private func names() throws -> [String] {
        var source = CandidateSource(journal)
        var names: [String] = []
        while case .item(let item)? = try source.next() { names.append(item.name) }
        return names
    }

    @Test("only candidates that the server lists as unreferenced are left")
    func marks() async throws {
        let candidates = try await FileCandidates.select(in: journal)
        try await candidates.add([record("a"), record("b"), record("c")])
        // The last one is unreferenced, but was not selected.
        try await candidates.mark(["b", "d"])
        try await candidates.removeUnmarked()
        #expect(try names() == ["b"])
        #expect(try await candidates.totals.count == 1)
    }

    @Test("without a mark no candidate is left")
    func noMark() async throws {
        let candidates = try await FileCandidates.select(in: journal)
        try await candidates.add([record("a")])
        try await candidates.removeUnmarked()
        #expect(try names().isEmpty)
    }

    @Test("the journal of a selection that is not sent is removed, also with names that are no files")
    func unused() async throws {
        let candidates = try await FileCandidates.select(in: journal)
        try await candidates.add([record("a")])
        try await candidates.refuse("b", because: "there is no such file")
        try await journal.removeIfUnused()
        #expect(!Journal.exists(at: journal.path))
    }

    @Test("the journal of a deletion that has begun is not removed")
    func begun() async throws {
        let candidates = try await FileCandidates.select(in: journal)
        try await candidates.add([record("a")])
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        let selected = journal
        try await run.send(
            FileCandidates.kind,
            from: { CandidateSource(selected) },
            by: { batch, _ in batch.map { _ in .done } }
        )
        try await journal.removeIfUnused()
        #expect(Journal.exists(at: journal.path))
    }

    @Test("a marked candidate is sent")
    func sent() async throws {
        let candidates = try await FileCandidates.select(in: journal)
        try await candidates.add([record("a")])
        try await candidates.mark(["a"])
        try await candidates.removeUnmarked()
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        let selected = journal
        try await run.send(
            FileCandidates.kind,
            from: { CandidateSource(selected) },
            by: { batch, _ in batch.map { _ in .done } }
        )
        #expect(try await journal.totals()[FileCandidates.kind]?[.done]?.count == 1)
    }
}
