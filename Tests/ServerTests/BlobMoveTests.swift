import DiskBlobs
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import Domain
@testable import Server

/// A move between two folders: the rules are those of a bucket, which `Tests/Conformance` uses.
@Suite struct BlobMoveTests {
    private struct Fixture {
        let folder: String
        let store = MemoryObjectStore()
        let source: BlobMove.Place
        let target: BlobMove.Place
        let ids = ObjectIDGenerator()

        init(in folder: String) throws {
            self.folder = folder
            source = try Fixture.place("\(folder)/source")
            target = try Fixture.place("\(folder)/target")
        }

        private static func place(_ path: String) throws -> BlobMove.Place {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return BlobMove.Place(
                storage: BlobStorage(
                    staging: try DiskStagingArea(folder: path, pool: .singleton),
                    blobs: try DiskBlobStore(folder: path, pool: .singleton)
                ),
                checked: FolderBlobs(folder: path),
                comparesDigests: true
            )
        }

        func run() async throws -> BlobMove.Outcome {
            try await BlobMove(store: store, source: source, target: target, pool: .singleton).run()
        }

        /// Uploads a file.
        func store(_ text: String) async throws -> FileRecord {
            let sample = try Samples.record()
            let facts = try await source.storage.store(text, as: sample.key)
            let record = FileRecord(
                id: sample.id,
                key: sample.key,
                name: sample.name,
                mediaType: sample.mediaType,
                detectedType: sample.detectedType,
                facts: facts,
                metaData: [:],
                acl: nil,
                createdAt: sample.createdAt
            )
            try await FileRecords(store).insert([record])
            return record
        }

        func text(_ record: FileRecord) async throws -> String? {
            guard let blob = try await target.storage.blobs.open(record.key) else { return nil }
            return String(buffer: try await blob.read(at: 0, count: Int(blob.size)))
        }
    }

    private func withFixture(_ body: (Fixture) async throws -> Void) async throws {
        try await Samples.withFolder { folder in try await body(try Fixture(in: folder)) }
    }

    @Test("files are copied once, and what is there already is not copied again")
    func files() async throws {
        try await withFixture { fixture in
            var records: [FileRecord] = []
            for number in 0..<20 { records.append(try await fixture.store("text \(number)")) }
            let first = try await fixture.run()
            #expect(first.files == 20 && first.copied == 20 && first.damaged.isEmpty)
            for (number, record) in records.enumerated() {
                #expect(try await fixture.text(record) == "text \(number)")
            }
            let another = try await fixture.store("another")
            try await fixture.target.storage.blobs.remove(records[3].key)
            let second = try await fixture.run()
            #expect(second.files == 21 && second.copied == 2)
            #expect(try await fixture.text(another) == "another")
            #expect(try await fixture.text(records[3]) == "text 3")
        }
    }

    @Test("other bytes under a key of the second storage are replaced")
    func leftover() async throws {
        try await withFixture { fixture in
            let record = try await fixture.store("right")
            _ = try await fixture.target.storage.store("wrong", as: record.key)
            #expect(try await fixture.run().copied == 1)
            #expect(try await fixture.text(record) == "right")
        }
    }

    @Test("missing and damaged bytes are named, and leave nothing")
    func damage() async throws {
        try await withFixture { fixture in
            var records: [FileRecord] = []
            for text in ["whole", "gone", "bad"] { records.append(try await fixture.store(text)) }
            try await fixture.source.storage.blobs.remove(records[1].key)
            let name = BlobName(records[2].key).description
            let path = "\(fixture.folder)/source/blobs/\(name.prefix(2))/\(name)"
            try "dab".write(toFile: path, atomically: false, encoding: .utf8)
            let outcome = try await fixture.run()
            #expect(outcome.files == 1 && outcome.damaged.count == 2)
            #expect(outcome.damaged.contains { $0.contains("\(records[1].id)") && $0.contains("has no blob") })
            #expect(outcome.damaged.contains { $0.contains("\(records[2].id)") && $0.contains("other bytes") })
            #expect(try await fixture.text(records[2]) == nil)
        }
    }

    @Test("bytes in the trash move to the trash, and stay in that of the first storage")
    func trash() async throws {
        try await withFixture { fixture in
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
            #expect(try await fixture.source.storage.blobs.moveToTrash([blob]).allSatisfy { $0 == nil })
            for copied in [1, 0] {
                let outcome = try await fixture.run()
                #expect(outcome.files == 1 && outcome.copied == copied && outcome.damaged.isEmpty)
                #expect(try await fixture.text(record) == nil)
            }
            for place in [fixture.source, fixture.target] {
                #expect(try await place.storage.blobs.restore(blob))
                #expect(try await place.storage.blobs.open(record.key)?.size == 7)
            }
        }
    }

    @Test("bytes of unfinished uploads move, also a second time")
    func uploads() async throws {
        try await withFixture { fixture in
            let upload = fixture.ids.next()
            let staged = try await fixture.source.storage.staging.stage(as: upload)
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(repeating: 7, count: 3_000_000))
            _ = try await writer.finish()
            for _ in 0..<2 {
                #expect(try await fixture.run().uploads == 1)
                let copy = try await fixture.target.storage.staging.stage(as: upload)
                #expect(try await copy.extent() == 3_000_000)
                #expect(try await copy.read(at: 2_999_000, count: 1000) == staged.read(at: 2_999_000, count: 1000))
            }
        }
    }
}
