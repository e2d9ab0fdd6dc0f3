import Testing

@testable import Migration

@Suite struct CompleteClassesTests {
    private let folder: TestFolder
    private let identity = JournalIdentity(source: "import leancloud", server: "http://127.0.0.1:1", app: "a")

    init() throws {
        folder = try TestFolder()
        for name in ["Post", "Comment", "_File"] {
            try folder.write("{\"objectId\":\"a1\",\"ACL\":{}}\n", to: "app/\(name).jsonl")
        }
    }

    /// The complete classes after a run in which the items of some kinds failed.
    private func classes(
        failing kinds: [String],
        _ change: (inout LeanCloudImport.Options) -> Void = { _ in }
    ) async throws -> [String] {
        var options = LeanCloudImport.Options()
        change(&options)
        let journal = try Journal(at: "\(folder.path)/j", for: identity)
        let run = MigrationRun(journal, SeenItems(), concurrency: 1, repeating: RepeatRules())
        for kind in kinds {
            let open: @Sendable () -> Words = { Words([Word("a"), Word("b")]) }
            try await run.send(kind, from: open) { planned, _ in
                planned.map { $0.item.name == "a" ? .failed("no") : .done }
            }
        }
        return try await options.completeClasses(of: try Export("\(folder.path)/app"), journal)
    }

    @Test("without failures all classes are complete")
    func all() async throws {
        #expect(try await classes(failing: []) == ["_File", "Comment", "Post"])
    }

    @Test("a class with an object or a relation that failed is not complete", arguments: ["Post", "_Join:likes:Post"])
    func failed(kind: String) async throws {
        #expect(try await classes(failing: [kind]) == ["_File", "Comment"])
    }

    @Test("what failed in an earlier run and is not in this one does not count")
    func earlier() async throws {
        _ = try await classes(failing: ["Post"])
        #expect(try await classes(failing: []) == ["_File", "Comment", "Post"])
    }

    @Test("classes that are not imported are not complete")
    func chosen() async throws {
        #expect(try await classes(failing: []) { $0.classNames = ["Post"] } == ["Post"])
        #expect(try await classes(failing: []) { $0.leavesOutFiles = true } == ["Comment", "Post"])
    }
}
