import Foundation
import NIOCore
import SQLiteStore
import Storage
import Support
import Testing

@testable import Domain
@testable import Server

/// A move between two folders: the rules are those of a bucket, which `Tests/Conformance` uses.
@Suite struct BlobMoveTests {
    @Test("files are copied once, and what is there already is not copied again")
    func files() async throws {
        try await BlobMoveFixture.with { fixture in
            var records: [FileRecord] = []
            for number in 0..<20 { records.append(try await fixture.store("text \(number)")) }
            let first = try await fixture.run()
            #expect(first.files == 20 && first.copied == 20 && first.damaged.isEmpty)
            for (number, record) in records.enumerated() {
                #expect(try await fixture.text(record) == "text \(number)")
            }
            let another = try await fixture.store("another")
            try await fixture.target.blobs.remove(records[3].key)
            let second = try await fixture.run()
            #expect(second.files == 21 && second.copied == 2)
            #expect(try await fixture.text(another) == "another")
            #expect(try await fixture.text(records[3]) == "text 3")
        }
    }

    @Test("other bytes under a key of the second storage are replaced")
    func leftover() async throws {
        try await BlobMoveFixture.with { fixture in
            let record = try await fixture.store("right")
            _ = try await fixture.target.store("wrong", as: record.key)
            #expect(try await fixture.run().copied == 1)
            #expect(try await fixture.text(record) == "right")
        }
    }

    @Test("missing and damaged bytes are named, and leave nothing")
    func damage() async throws {
        try await BlobMoveFixture.with { fixture in
            var records: [FileRecord] = []
            for text in ["whole", "gone", "bad"] { records.append(try await fixture.store(text)) }
            try await fixture.source.blobs.remove(records[1].key)
            let name = BlobName(records[2].key).description
            let path = "\(fixture.folder)/source/blobs/\(name.prefix(2))/\(name)"
            try "dab".write(toFile: path, atomically: false, encoding: .utf8)
            let outcome = try await fixture.run()
            #expect(outcome.files == 1 && outcome.damaged.count == 2)
            #expect(outcome.damaged.contains { $0.contains("\(records[1].id)") && $0.contains("has no bytes") })
            #expect(outcome.damaged.contains { $0.contains("\(records[2].id)") && $0.contains("other bytes") })
            #expect(try await fixture.text(records[2]) == nil)
        }
    }

    @Test("bytes in the trash move to the trash, and stay in that of the first storage")
    func trash() async throws {
        try await BlobMoveFixture.with { fixture in
            let record = try await fixture.store("trashed")
            let entry = TrashEntry(
                id: fixture.ids.next(),
                record: record.object,
                deletedAt: .now(),
                expiresAt: .now().adding(seconds: 3600),
                reason: .deleted,
                deletedBy: "master"
            )
            try await fixture.store.write { writer in
                _ = try writer.delete(record.id, in: .file)
                try writer.insert(entry.object, into: .trash)
            }
            let blob = TrashedBlob(entry: entry.id, key: record.key, file: record.id)
            #expect(try await fixture.source.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
            for copied in [1, 0] {
                let outcome = try await fixture.run()
                #expect(outcome.files == 1 && outcome.copied == copied && outcome.damaged.isEmpty)
                #expect(try await fixture.text(record) == nil)
            }
            for place in [fixture.source, fixture.target] {
                #expect(try await place.blobs.restore(blob))
                #expect(try await place.blobs.open(record.key)?.size == 7)
            }
        }
    }

    @Test("bytes of unfinished uploads move, also a second time")
    func uploads() async throws {
        try await BlobMoveFixture.with { fixture in
            let upload = fixture.ids.next()
            let staged = try await fixture.source.staging.stage(as: upload)
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(repeating: 7, count: 3_000_000))
            _ = try await writer.finish()
            for _ in 0..<2 {
                #expect(try await fixture.run().uploads == 1)
                let copy = try await fixture.target.staging.stage(as: upload)
                #expect(try await copy.extent() == 3_000_000)
                #expect(try await copy.read(at: 2_999_000, count: 1000) == staged.read(at: 2_999_000, count: 1000))
            }
        }
    }

    /// Stages bytes at offsets that are gaps apart.
    private func stage(_ upload: ObjectID, in staging: any StagingArea) async throws -> any StagedBlob {
        let staged = try await staging.stage(as: upload)
        for offset in [3 << 20, 20 << 20] as [Int64] {
            let writer = staged.write(at: offset, digesting: [])
            try await writer.append(ByteBuffer(repeating: UInt8(offset >> 20), count: 1_500_000))
            _ = try await writer.finish()
        }
        return staged
    }

    @Test("gaps between the bytes of an upload stay gaps")
    func gaps() async throws {
        try await BlobMoveFixture.with { fixture in
            let upload = fixture.ids.next()
            let staged = try await stage(upload, in: fixture.source.staging)
            #expect(try await fixture.run().uploads == 1)
            let copy = try await fixture.target.staging.stage(as: upload)
            let ranges = try await copy.ranges(recorded: RangeSet())
            #expect(try await ranges == staged.ranges(recorded: RangeSet()))
            #expect(ranges.ranges.reduce(0) { $0 + $1.count } < 4_000_000)
            for offset in [3 << 20, 20 << 20] as [Int64] {
                let bytes = try await copy.read(at: offset, count: 1_500_000)
                #expect(bytes == ByteBuffer(repeating: UInt8(offset >> 20), count: 1_500_000))
            }
        }
    }

    @Test("zeros that a row records are copied although the file system shows a gap there")
    func recordedZeros() async throws {
        try await BlobMoveFixture.with { fixture in
            var fixture = fixture
            let upload = fixture.ids.next()
            _ = try await stage(upload, in: fixture.source.staging)
            fixture.recorded = (upload, RangeSet(10 << 20..<11 << 20))
            #expect(try await fixture.run().uploads == 1)
            let copy = try await fixture.target.staging.stage(as: upload)
            #expect(try await copy.ranges(recorded: RangeSet()).contains(10 << 20))
        }
    }

    @Test("bytes that a row records and that are missing are damage")
    func recordedAndMissing() async throws {
        try await BlobMoveFixture.with { fixture in
            var fixture = fixture
            let upload = fixture.ids.next()
            _ = try await stage(upload, in: fixture.source.staging)
            fixture.recorded = (upload, RangeSet(20 << 20..<23 << 20))
            let outcome = try await fixture.run()
            #expect(outcome.uploads == 0)
            #expect(outcome.damaged.count == 1 && outcome.damaged[0].contains("\(upload) lacks its bytes"))
        }
    }

    // MARK: Beside a server

    @Test("the last run moves only what changed since a copy, and removes what was deleted")
    func changes() async throws {
        try await BlobMoveFixture.with { fixture in
            var records: [FileRecord] = []
            for number in 0..<10 { records.append(try await fixture.store("text \(number)")) }
            let first = try await fixture.run(.beside)
            #expect(first.files == 10 && first.copied == 10 && first.removed == 0)
            let again = try await fixture.run(.beside)
            #expect(again.files == 10 && again.copied == 0)
            for record in records[..<2] { try await fixture.delete(record) }
            // Another file under the key of a deleted one, with the same size.
            records[1] = try await fixture.store("TEXT 1", as: records[1].key)
            records.append(try await fixture.store("new"))
            let beside = try await fixture.run(.beside)
            #expect(beside.files == 10 && beside.copied == 2 && beside.removed == 0)
            #expect(try fixture.count() == 11)
            let last = try await fixture.run()
            #expect(last.files == 10 && last.copied == 0 && last.removed == 1)
            #expect(try fixture.count() == 10)
            #expect(try await fixture.text(records[0]) == nil)
            #expect(try await fixture.text(records[1]) == "TEXT 1")
            #expect(try await fixture.text(records[10]) == "new")
        }
    }

    @Test("bytes that a run has compared are not read again, and those of no run are")
    func journal() async throws {
        try await BlobMoveFixture.with { fixture in
            let record = try await fixture.store("right")
            _ = try await fixture.run(.beside)
            let byte = try #require([UInt8](hexadecimal: BlobName(record.key).description)?.first)
            #expect(try fixture.journal.files(beginningWith: byte) == [record.id])
            let name = BlobName(record.key).description
            let path = "\(fixture.folder)/target/blobs/\(name.prefix(2))/\(name)"
            try "wrong".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try await fixture.run().copied == 0)
            try fixture.journal.remove()
            #expect(try await fixture.run().copied == 1)
            #expect(try await fixture.text(record) == "right")
        }
    }

    @Test("a copy reads the folder of a server and changes nothing there")
    func reading() async throws {
        try await BlobMoveFixture.with { fixture in
            _ = try await fixture.store("text")
            let drafts = ["draft-\(fixture.ids.next())", "copy-\(fixture.ids.next())"]
            for name in drafts {
                try "x".write(toFile: "\(fixture.folder)/source/staging/\(name)", atomically: false, encoding: .utf8)
            }
            #expect(try await fixture.run(.beside).copied == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder)/source/staging")
            #expect(Set(names).isSuperset(of: drafts))
        }
    }

    @Test("what lacks bytes while it has a record is damage, also beside a server")
    func damageBeside() async throws {
        try await BlobMoveFixture.with { fixture in
            let record = try await fixture.store("gone")
            try await fixture.source.blobs.remove(record.key)
            let outcome = try await fixture.run(.beside)
            #expect(outcome.damaged.count == 1 && outcome.vanished == 0)
        }
    }

    @Test("bytes of an entry that left the trash are removed from the trash of the second storage")
    func trashChanges() async throws {
        try await BlobMoveFixture.with { fixture in
            let record = try await fixture.store("trashed")
            let blob = TrashedBlob(entry: fixture.ids.next(), key: record.key, file: record.id)
            try await fixture.target.blobs.put(
                MovedBytes(blob: try #require(await fixture.source.blobs.open(record.key))),
                record.facts,
                as: record.key,
                of: record.id
            )
            #expect(try await fixture.target.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try await fixture.run(.beside).removed == 0)
            #expect(try await fixture.target.blobs.open(trashed: blob.entry)?.size == 7)
            #expect(try await fixture.run().removed == 1)
            #expect(try await fixture.target.blobs.open(trashed: blob.entry) == nil)
        }
    }
}
