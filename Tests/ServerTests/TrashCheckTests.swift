import Foundation
import SQLiteStore
import Support
import Testing

@testable import Domain
@testable import Server
@testable import Storage

/// The check of the trash of a storage folder.
@Suite struct TrashCheckTests {
    /// Puts a file into the trash; the worker moves its bytes afterwards.
    private func trash(_ record: FileRecord, in fixture: StorageCheckFixture) async throws -> TrashEntry {
        let master = Caller(app: try #require(AppID("app")), isMaster: true)
        return try await fixture.store.write { writer in
            let object = try #require(try writer.object(record.id, in: .file))
            _ = try writer.delete(record.id, in: .file)
            let ids = ObjectIDGenerator()
            return try writer.moveToTrash([object], for: 60, because: .deleted, by: master, at: .now(), ids: ids)[0]
        }
    }

    private func move(_ entry: TrashEntry, _ record: FileRecord, in fixture: StorageCheckFixture) async throws {
        let errors = try await fixture.blobs.blobs.moveToTrash([TrashedBlob(entry: entry.id, key: record.key)])
        #expect(errors.allSatisfy { $0 == nil })
        _ = try await fixture.store.write { try $0.delete(entry.id, in: .deletion) }
    }

    private func path(of entry: ObjectID, in fixture: StorageCheckFixture) -> String {
        "\(fixture.app)/trash/\(entry.description.suffix(2))/\(entry)"
    }

    private func makeFile(_ path: String, _ text: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test("a file in the trash is whole with its bytes at the key before they are moved, and in the trash then")
    func whole() async throws {
        try await StorageCheckFixture.with { fixture in
            let record = fixture.records[0]
            let entry = try await trash(record, in: fixture)
            #expect(try await fixture.kinds { $0.readsData = true }.isEmpty)
            try await move(entry, record, in: fixture)
            let (findings, summary) = try await fixture.check { $0.readsData = true }
            #expect(findings.isEmpty)
            #expect((summary.files, summary.readFiles, summary.readBytes) == (2, 3, 11))
        }
    }

    @Test("lost and changed bytes of an entry are damage; a digest is compared only if bytes are read")
    func damaged() async throws {
        try await StorageCheckFixture.with { fixture in
            let record = fixture.records[0]
            let entry = try await trash(record, in: fixture)
            try await move(entry, record, in: fixture)
            let path = path(of: entry.id, in: fixture)
            try makeFile(path, "0ne")
            #expect(try await fixture.kinds().isEmpty)
            for (text, kind) in [("0ne", "damaged-blob"), ("longer", "damaged-blob"), (nil, "missing-blob")] {
                if let text { try makeFile(path, text) } else { try FileManager.default.removeItem(atPath: path) }
                let found = try await fixture.check { $0.readsData = true }.findings
                #expect(found.map { "\($0.kind) \($0.subject)" } == ["\(kind) _Trash/\(entry.id)"])
            }
        }
    }

    @Test("bytes that were lost before they were moved are damage")
    func lostAtKey() async throws {
        try await StorageCheckFixture.with { fixture in
            let entry = try await trash(fixture.records[0], in: fixture)
            try FileManager.default.removeItem(atPath: fixture.path(of: fixture.records[0]))
            let found = try await fixture.check().findings
            #expect(found.map { "\($0.kind) \($0.subject)" } == ["missing-blob _Trash/\(entry.id)"])
        }
    }

    @Test("bytes of no entry are orphans unless the deletion queue has them, and a repair moves them")
    func orphans() async throws {
        try await StorageCheckFixture.with { fixture in
            let (orphan, queued) = (ObjectIDGenerator().next(), ObjectIDGenerator().next())
            for id in [orphan, queued] { try makeFile(path(of: id, in: fixture), "\(id)") }
            try await fixture.store.write { writer in
                try writer.insert(PendingDeletion.trashing(queued, nil, at: .now()), into: .deletion)
            }
            let found = try await fixture.check().findings
            let subject = "trash/\(orphan.description.suffix(2))/\(orphan)"
            #expect(found.map { "\($0.kind) \($0.subject)" } == ["orphan-blob \(subject)"])
            let repaired = try await fixture.check { $0.repairs = true }
            #expect((repaired.summary.damage, repaired.summary.repaired) == (0, 1))
            let moved = "\(fixture.app)/lost+found/trash-\(orphan)"
            #expect(try String(contentsOfFile: moved, encoding: .utf8) == "\(orphan)")
            #expect(try await fixture.kinds().isEmpty)
        }
    }

    @Test("bytes of no entry stay while a damaged row can be their entry")
    func possiblyNamed() async throws {
        try await StorageCheckFixture.with { fixture in
            let path = path(of: ObjectIDGenerator().next(), in: fixture)
            try makeFile(path, "one")
            fixture.rows.set([DamagedRow(className: "_Trash", number: 1, id: "a1", damage: "is not what was written")])
            let kept = try await fixture.check { $0.repairs = true }
            #expect(kept.findings.map(\.repair) == [nil, nil])
            #expect(FileManager.default.fileExists(atPath: path))
            let removed = try await fixture.check {
                $0.repairs = true
                $0.damagedRows = .removed
            }
            #expect((removed.summary.damage, removed.summary.repaired) == (0, 2))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("other names in the trash are notes")
    func foreign() async throws {
        try await StorageCheckFixture.with { fixture in
            let id = ObjectIDGenerator().next()
            // The bytes of an entry lie in the folder of its last digits.
            let other = id.description.hasSuffix("00") ? "01" : "00"
            try makeFile("\(fixture.app)/trash/\(other)/\(id)", "x")
            #expect(try await fixture.kinds() == ["foreign-file"])
        }
    }

    @Test("a file that was known to be damaged is examined again after it was restored")
    func restoredDamage() async throws {
        try await StorageCheckFixture.with { fixture in
            let record = fixture.records[0]
            try await fixture.store.write { writer in
                var object = try #require(try writer.object(record.id, in: .file))
                object.fields[DamageField.name] = .bool(true)
                try writer.update(object, in: .file)
            }
            let entry = try await trash(record, in: fixture)
            try await fixture.store.write { try $0.restoreKnowingDamage(entry, at: .now()) }
            let known = try await fixture.store.read { try $0.knownDamage(after: nil, limit: 10) }
            #expect(known.compactMap(KnownDamage.init(stored:)).map(\.file) == [record.id])
        }
    }
}
