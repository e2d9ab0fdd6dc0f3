import Domain
import Foundation
import NIOCore
import SQLiteStore
import Support
import Testing

@testable import Server
@testable import Storage

/// The check of a storage folder with one app, `app`.
@Suite struct StorageCheckTests {
    @Test("a whole storage has no findings, and nothing in it changes")
    func whole() async throws {
        try await StorageCheckFixture.with { fixture in
            let before = try FileManager.default.subpathsOfDirectory(atPath: fixture.storage).sorted()
            let (findings, summary) = try await fixture.check { $0.readsData = true }
            #expect(findings.isEmpty)
            #expect(summary.apps == 1)
            #expect(summary.files == 3)
            #expect(summary.bytes == 11)
            #expect(summary.readFiles == 3)
            #expect(summary.readBytes == 11)
            #expect(summary.rows == 3)
            #expect(try FileManager.default.subpathsOfDirectory(atPath: fixture.storage).sorted() == before)
        }
    }

    @Test("a flipped byte is found if bytes are read, in exactly one of the parts, and named for the scrubber")
    func flipped() async throws {
        try await StorageCheckFixture.with { fixture in
            try fixture.flip(fixture.records[1])
            #expect(try await fixture.kinds().isEmpty)
            let (findings, summary) = try await fixture.check { $0.readsData = true }
            #expect(findings.map(\.kind) == ["damaged-blob"])
            #expect(findings[0].subject == "_File/\(fixture.records[1].id)")
            #expect(summary.damage == 1)
            let suspects = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.app)/suspects")
            #expect(suspects == [fixture.records[1].id.description])
            var parts: [String] = []
            for part in 1...4 {
                parts += try await fixture.kinds {
                    $0.readsData = true
                    $0.subset = CheckSubset("\(part)/4") ?? $0.subset
                }
            }
            #expect(parts == ["damaged-blob"])
        }
    }

    @Test("a blob that the server knows to be damaged is read always")
    func known() async throws {
        try await StorageCheckFixture.with { fixture in
            try fixture.flip(fixture.records[1])
            let fields: [String: JSONValue] = [
                "kind": "blob", "subject": .string("blob/\(fixture.records[1].id)"),
                "file": .string(fixture.records[1].id.description),
            ]
            let row = StoredObject(id: ObjectIDGenerator().next(), createdAt: .now(), updatedAt: .now(), fields: fields)
            try await fixture.store.write { try $0.insert(row, into: .damage) }
            #expect(try await fixture.kinds() == ["damaged-blob"])
        }
    }

    @Test("a missing blob, one of another size, and one of no record are found")
    func missing() async throws {
        try await StorageCheckFixture.with { fixture in
            try FileManager.default.removeItem(atPath: fixture.path(of: fixture.records[0]))
            try "longer".write(toFile: fixture.path(of: fixture.records[1]), atomically: false, encoding: .utf8)
            _ = try await fixture.blobs.store("orphan", as: try #require(FileKey("orphan.txt")))
            #expect(try await fixture.kinds() == ["damaged-blob", "missing-blob", "orphan-blob"])
        }
    }

    @Test("a file in the place of a folder does not end the check: it is foreign, and the folder's blobs are missing")
    func filesForFolders() async throws {
        try await StorageCheckFixture.with { fixture in
            let blob = URL(filePath: fixture.path(of: fixture.records[0]))
            for path in [blob.deletingLastPathComponent().path, "\(fixture.app)/trash"] {
                try? FileManager.default.removeItem(atPath: path)
                #expect(FileManager.default.createFile(atPath: path, contents: nil))
            }
            let found = try await fixture.check { $0.readsData = true }.findings
            #expect(found.map(\.kind).sorted() == ["foreign-file", "foreign-file", "missing-blob"])
        }
    }

    @Test("a blob whose commit began is no orphan, and the note no leftover")
    func committing() async throws {
        try await StorageCheckFixture.with { fixture in
            let key = try #require(FileKey("new.txt"))
            let staged = try await fixture.blobs.staging.stage()
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "new"))
            _ = try await writer.finish()
            let facts = try await staged.finish(size: 3, needsMD5: false).blob
            try await fixture.blobs.commit(staged, facts, as: key, of: ObjectIDGenerator().next())
            #expect(try await fixture.kinds().isEmpty)
            await staged.discard()
            #expect(try await fixture.kinds() == ["orphan-blob"])
        }
    }

    @Test("a file whose bytes a mirror has to fetch, and one on another server, need no blob")
    func elsewhere() async throws {
        try await StorageCheckFixture.with { fixture in
            try await fixture.store.write { writer in
                for fields: [String: JSONValue] in [
                    ["key": "elsewhere.txt", "name": "a", "_mirror": "missing"],
                    ["url": "https://example.com/a", "name": "a"],
                ] {
                    let id = ObjectIDGenerator().next()
                    let object = StoredObject(id: id, createdAt: .now(), updatedAt: .now(), fields: fields)
                    try writer.insert(object, into: .file)
                }
            }
            #expect(try await fixture.kinds().isEmpty)
        }
    }

    @Test("a repair moves what no record names, counts anew and accepts rows if asked; then nothing is found")
    func repaired() async throws {
        try await StorageCheckFixture.with { fixture in
            _ = try await fixture.blobs.store("orphan", as: try #require(FileKey("orphan.txt")))
            try await fixture.blobs.staging.stage().synchronize()
            try await fixture.store.correctUsage(to: Usage())
            fixture.rows.set([DamagedRow(className: "Task", number: 2, id: "a1", damage: "is not what was written")])
            let found = try await fixture.kinds()
            #expect(found == ["damaged-row", "orphan-blob", "wrong-usage"])
            let (findings, summary) = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .accepted
            }
            #expect(findings.allSatisfy { $0.repair != nil })
            #expect(summary.damage == 0)
            #expect(summary.repaired == 4)
            let moved = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.app)/lost+found").sorted()
            #expect(moved.count == 2)
            #expect(moved[1].hasPrefix("staging-draft-"))
            #expect(try String(contentsOfFile: "\(fixture.app)/lost+found/\(moved[0])", encoding: .utf8) == "orphan")
            #expect(try await fixture.check { $0.readsData = true }.findings.isEmpty)
        }
    }

    @Test("a repair removes damaged rows if asked, and accepts only those that hold an object")
    func rowsRepaired() async throws {
        try await StorageCheckFixture.with { fixture in
            let rows = [
                DamagedRow(className: "Task", number: 1, id: "a1", damage: "is not what was written"),
                DamagedRow(className: "Task", number: 2, id: "", damage: "is not what was written"),
            ]
            fixture.rows.set(rows)
            let (accepted, summary) = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .accepted
            }
            #expect(accepted.map(\.repair) == ["accepted as it is", nil])
            #expect(accepted.last?.detail == "(row 2) is not what was written, and holds no object")
            #expect((summary.damage, summary.repaired) == (1, 1))
            let removed = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .removed
            }
            #expect(removed.findings.map(\.repair) == ["removed"])
            #expect(try await fixture.kinds().isEmpty)
        }
    }

    @Test(
        "a blob of no record stays while a damaged row can name it: it can be the blob of that row",
        arguments: [ClassName.file, .deletion, .trash],
        [DamagedRows.kept, .accepted]
    )
    func possiblyNamed(className: ClassName, damagedRows: DamagedRows) async throws {
        try await StorageCheckFixture.with { fixture in
            _ = try await fixture.blobs.store("orphan", as: try #require(FileKey("orphan.txt")))
            let name = className.description
            fixture.rows.set([DamagedRow(className: name, number: 2, id: "a1", damage: "is not what was written")])
            let (findings, _) = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = damagedRows
            }
            let orphan = try #require(findings.first { $0.kind == "orphan-blob" })
            #expect(orphan.repair == nil)
            #expect(orphan.detail.contains("a damaged row or an unreadable record can name it"))
            #expect(!FileManager.default.fileExists(atPath: "\(fixture.app)/lost+found"))
            let removed = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .removed
            }
            #expect(removed.summary.damage == 0)
            #expect(try await fixture.kinds().isEmpty)
        }
    }

    @Test("a blob of no record stays while a record has no valid key")
    func unreadableRecord() async throws {
        try await StorageCheckFixture.with { fixture in
            _ = try await fixture.blobs.store("orphan", as: try #require(FileKey("orphan.txt")))
            let id = ObjectIDGenerator().next()
            try await fixture.store.write { writer in
                let fields: [String: JSONValue] = ["key": "", "name": "orphan.txt"]
                let object = StoredObject(id: id, createdAt: .now(), updatedAt: .now(), fields: fields)
                try writer.insert(object, into: .file)
            }
            let (findings, _) = try await fixture.check { $0.repairs = true }
            #expect(findings.first { $0.kind == "unreadable-record" }?.subject == "_File/\(id)")
            let orphan = try #require(findings.first { $0.kind == "orphan-blob" })
            #expect(orphan.repair == nil)
            _ = try await fixture.store.write { try $0.delete(id, in: .file) }
            let again = try await fixture.check { $0.repairs = true }.findings
            #expect(again.first { $0.kind == "orphan-blob" }?.repair != nil)
        }
    }

    @Test("damaged rows of all pages are removed together")
    func rowsTogether() async throws {
        try await StorageCheckFixture.with { fixture in
            let rows = [1, 2, 3].map { DamagedRow(className: "Task", number: $0, id: "a", damage: "is not whole") }
            fixture.rows.set(rows)
            let (findings, _) = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .removed
            }
            #expect(findings.map(\.repair) == ["removed", "removed", "removed"])
            #expect(fixture.rows.repairs == 1)
        }
    }

    @Test("a refusal is that of its row, and not of one with the same number in another class")
    func refusedRow() async throws {
        try await StorageCheckFixture.with { fixture in
            let rows = ["", "a1"].map { DamagedRow(className: "Class\($0)", number: 1, id: $0, damage: "is not whole") }
            fixture.rows.set(rows)
            let (findings, _) = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .accepted
            }
            #expect(findings.map(\.repair) == [nil, "accepted as it is"])
        }
    }

    @Test("an app with a damaged database is a finding, and the apps after it are checked")
    func damagedDatabase() async throws {
        try await StorageCheckFixture.with { fixture in
            let other = "\(fixture.storage)/aaa"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try Data(repeating: 0x61, count: 8192).write(to: URL(filePath: "\(other)/lcfile.sqlite"))
            let (findings, summary) = try await fixture.check()
            #expect(findings.map { "\($0.app) \($0.kind)" } == ["aaa damaged-database"])
            #expect((summary.apps, summary.files, summary.damage) == (2, 3, 1))
        }
    }

    @Test("a damaged usage is reported as counted anew after that is done")
    func damagedUsage() async throws {
        try await StorageCheckFixture.with { fixture in
            _ = try await fixture.blobs.store("orphan", as: try #require(FileKey("orphan.txt")))
            try await fixture.store.correctUsage(to: Usage())
            let row = DamagedRow(className: "_Usage", number: 1, id: "usage", damage: "is not what was written")
            fixture.rows.set([row])
            let (findings, summary) = try await fixture.check { $0.repairs = true }
            #expect(findings.map(\.kind) == ["orphan-blob", "damaged-row", "wrong-usage"])
            #expect(findings.dropFirst().map(\.repair) == ["counted anew", "counted anew"])
            #expect((summary.damage, summary.repaired) == (0, 3))
            #expect(try await fixture.kinds() == ["damaged-row"])
        }
    }

    @Test("a repair leaves records without bytes and rows that were not to be accepted")
    func notRepaired() async throws {
        try await StorageCheckFixture.with { fixture in
            try FileManager.default.removeItem(atPath: fixture.path(of: fixture.records[0]))
            try fixture.flip(fixture.records[1])
            fixture.rows.set([DamagedRow(className: "Task", number: 1, id: "a1", damage: "is not what was written")])
            let (_, summary) = try await fixture.check {
                $0.repairs = true
                $0.readsData = true
            }
            #expect(summary.damage == 3)
            #expect(summary.repaired == 0)
            #expect(try await fixture.store.read { try $0.count(.always, in: .file) } == 3)
            #expect(FileManager.default.fileExists(atPath: fixture.path(of: fixture.records[1])))
        }
    }

    @Test("a repair is refused while a server has the folder; a check is not")
    func locked() async throws {
        try await StorageCheckFixture.with { fixture in
            let lock = try StorageFolder(path: fixture.storage)
            #expect(try await fixture.kinds().isEmpty)
            let error = await #expect(throws: ExitError.self) { try await fixture.check { $0.repairs = true } }
            #expect(error?.exitCode == 73)
            _ = consume lock
        }
    }

    @Test("a folder of blobs without a database is damage, also an empty one, and a new app's folder is none")
    func lostDatabase() async throws {
        try await StorageCheckFixture.with { fixture in
            let other = "\(fixture.storage)/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            #expect(try await fixture.kinds().isEmpty)
            try FileManager.default.createDirectory(atPath: "\(other)/blobs", withIntermediateDirectories: true)
            let (findings, summary) = try await fixture.check()
            #expect(findings.map { "\($0.app) \($0.kind) \($0.subject)" } == ["other damaged-database lcfile.sqlite"])
            #expect((summary.apps, summary.damage) == (2, 1))
        }
    }

    @Test("an empty file in the place of a database is damage, also without blobs, and other apps are checked")
    func emptyDatabase() async throws {
        try await StorageCheckFixture.with { fixture in
            let other = "\(fixture.storage)/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(other)/lcfile.sqlite"))
            let (findings, summary) = try await fixture.check()
            #expect(findings.map { "\($0.app) \($0.kind)" } == ["other damaged-database"])
            #expect((summary.apps, summary.files, summary.damage) == (2, 3, 1))
        }
    }

    @Test("what cannot be checked is 73", arguments: ["no such folder", ""])
    func refused(name: String) async throws {
        try await Samples.withFolder { folder in
            let path = name.isEmpty ? folder : "\(folder)/\(name)"
            let check = StorageCheck(of: path, with: FolderEngine(), CheckOptions(), CheckObserver(found: { _ in }))
            let error = await #expect(throws: ExitError.self) { try await check.run() }
            #expect(error?.exitCode == 73)
            #expect(!FileManager.default.fileExists(atPath: "\(path)/.lock"))
        }
    }
}
