import Foundation
import Testing

@testable import Commands

@Suite final class SourceSpoolTests {
    private let folder = "/tmp/lcfile-spool-\(UUID().uuidString)"
    private var journal: String { "\(folder)/app.journal" }
    private let begun = "2026-03-01T12:00:00.000Z"
    /// Ten minutes before.
    private let start = "2026-03-01T11:50:00.000Z"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test("each complete class has a start of its own, and the others keep theirs")
    func starts() throws {
        let spool = try SourceSpool(beside: journal)
        #expect(spool.starts.isEmpty)
        try spool.begin(at: begun)
        try spool.end(completing: ["Post"])
        #expect(spool.starts == ["Post": start])
        try spool.begin(at: "2026-03-02T12:00:00.000Z")
        try spool.end(completing: ["Comment"])
        #expect(spool.starts == ["Post": start, "Comment": "2026-03-02T11:50:00.000Z"])
    }

    @Test("an unfinished download stays, with its time")
    func unfinished() throws {
        let spool = try SourceSpool(beside: journal)
        try spool.begin(at: begun)
        try write("{}\n", to: "\(spool.export)/Post.jsonl")
        try spool.begin(at: "2026-03-02T12:00:00.000Z")
        #expect(FileManager.default.fileExists(atPath: "\(spool.export)/Post.jsonl"))
        try spool.end(completing: ["Post"])
        #expect(spool.starts == ["Post": start])
    }

    @Test("a verification reads everything, beside the unfinished download of an import")
    func verification() throws {
        let spool = try SourceSpool(beside: journal)
        try spool.begin(at: begun)
        try spool.end(completing: ["Post"])
        try spool.begin(at: begun)
        try write("{}\n", to: "\(spool.export)/Post.jsonl")
        let other = try SourceSpool(beside: journal, forVerification: true)
        try other.begin(at: begun)
        #expect(other.starts.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.export).isEmpty)
        try other.discard()
        #expect(FileManager.default.fileExists(atPath: "\(spool.export)/Post.jsonl"))
        #expect(spool.starts == ["Post": start])
    }

    @Test("an import removes the unfinished download of a verification")
    func importAfterVerification() throws {
        let verification = try SourceSpool(beside: journal, forVerification: true)
        try verification.begin(at: begun)
        try SourceSpool(beside: journal).begin(at: begun)
        #expect(!FileManager.default.fileExists(atPath: verification.export))
    }

    @Test("the time of an earlier version, which was that of all classes, is not used")
    func earlierVersion() throws {
        let spool = try SourceSpool(beside: journal)
        try spool.begin(at: begun)
        try write("{}\n", to: "\(spool.export)/Post.jsonl")
        try write(start, to: journal + ".source/since")
        let next = try SourceSpool(beside: journal)
        #expect(next.starts.isEmpty)
        try next.begin(at: begun)
        #expect(try FileManager.default.contentsOfDirectory(atPath: next.export).isEmpty)
    }
}
