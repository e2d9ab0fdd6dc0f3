import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

@Suite struct DraftsInMemoryTests {
    private let bytes = ByteBuffer(string: "bytes")

    /// An area and a store in one folder; with places of their own, because other tests take those of the process.
    private func storage(_ folder: String, places: Int = 8, hasHardLinks: Bool = true) throws -> BlobStorage {
        BlobStorage(
            staging: try DiskStagingArea(folder: folder, pool: .singleton, places: DraftPlaces(count: places)),
            blobs: try DiskBlobStore(folder: folder, pool: .singleton, hasHardLinks: hasHardLinks)
        )
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/staging")
    }

    /// The number of open descriptors of staged files.
    private func openFiles(_ folder: String) throws -> Int {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd")
            // Other tests close theirs meanwhile.
            .compactMap { try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix("\(folder)/staging/") }
            .count
    }

    private func commit(
        _ staged: any StagedBlob,
        to storage: BlobStorage,
        as key: String = "abc"
    ) async throws -> CommitNote {
        let facts = try await staged.finish(size: try await staged.extent(), needsMD5: false).blob
        let key = try #require(FileKey(key))
        let id = ObjectIDGenerator().next()
        try await storage.commit(staged, facts, as: key, of: id)
        return CommitNote(file: id, blob: BlobName(key), isDraft: true)
    }

    @Test(
        "bytes of one request have a file from their commit on, if they are few",
        arguments: [(0, true), (1, true), (256 << 10, true), ((256 << 10) + 1, false), (3 << 20, false)]
    )
    func sizes(count: Int, isInMemory: Bool) async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let content = ByteBuffer(repeating: 7, count: count)
            let staged = try await storage.staging.stage(content)
            #expect(try names(folder).isEmpty == isInMemory)
            let note = try await commit(staged, to: storage)
            #expect(try names(folder) == [note.fileName])
            await staged.discard()
            #expect(try names(folder) == [])
            let key = try #require(FileKey("abc"))
            let blob = try #require(try await storage.blobs.open(key))
            #expect(try await blob.read(at: 0, count: count + 1) == content)
        }
    }

    @Test("facts of bytes in memory are those of bytes in a file")
    func facts() async throws {
        try await Samples.withFolder { folder in
            let staging = try storage(folder).staging
            let draft = try await staging.stage(bytes)
            let file = try await staging.stage(bytes, as: ObjectIDGenerator().next())
            let (mine, other) = (
                try await draft.finish(size: 5, needsMD5: true), try await file.finish(size: 5, needsMD5: true)
            )
            #expect(mine.blob == other.blob)
            #expect(mine.head == bytes)
            #expect(try await draft.extent() == 5)
            #expect(try names(folder).count == 1)
        }
    }

    @Test("a writer that goes on after its end adds to the bytes in memory, and its digests cover all of them")
    func further() async throws {
        try await Samples.withFolder { folder in
            let staging = try storage(folder).staging
            let staged = try await staging.stage()
            let writer = staged.write(at: 0, digesting: [.crc32])
            try await writer.append(bytes)
            _ = try await writer.finish()
            #expect(try names(folder) == [])
            try await writer.append(ByteBuffer(string: " and more"))
            let digests = try await writer.finish()
            #expect(digests[.crc32] == [0x27, 0x53, 0xa0, 0x53])
            #expect(try names(folder).count == 1)
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "bytes and more"))
        }
    }

    @Test("a second writer writes over the bytes in memory")
    func secondWriter() async throws {
        try await Samples.withFolder { folder in
            let staged = try await storage(folder).staging.stage(bytes)
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "BY"))
            _ = try await writer.finish()
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "BYtes"))
        }
    }

    @Test("bytes in memory that are opened are a file, which stays readable after they are discarded")
    func opened() async throws {
        try await Samples.withFolder { folder in
            let staged = try await storage(folder).staging.stage(bytes)
            let opened = try await staged.open()
            await staged.discard()
            #expect(try names(folder) == [])
            #expect(try await opened.read(at: 0, count: 100) == bytes)
        }
    }

    @Test("a commit that finds no folder leaves the bytes in memory, and can be repeated")
    func failure() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let staged = try await storage.staging.stage(bytes)
            try FileManager.default.moveItem(atPath: "\(folder)/staging", toPath: "\(folder)/aside")
            await expectFailure(.storageReadOnly) { _ = try await commit(staged, to: storage) }
            try FileManager.default.moveItem(atPath: "\(folder)/aside", toPath: "\(folder)/staging")
            #expect(try names(folder) == [])
            let note = try await commit(staged, to: storage)
            #expect(try names(folder) == [note.fileName])
        }
    }

    @Test("a commit to a key that is taken leaves the bytes, without a note")
    func taken() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let key = try #require(FileKey("abc"))
            _ = try await storage.store("other", as: key)
            let staged = try await storage.staging.stage(bytes)
            await expectFailure(.duplicateValue) { _ = try await commit(staged, to: storage) }
            #expect(try await storage.staging.leftovers() == [])
            #expect(try await staged.read(at: 0, count: 100) == bytes)
            await staged.discard()
            #expect(try names(folder) == [])
            #expect(try await storage.blobs.open(key)?.size == 5)
        }
    }

    @Test("a commit that is reverted before it began leaves nothing")
    func revertedEarly() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let staged = try await storage.staging.stage(bytes)
            let (key, id) = (try #require(FileKey("abc")), ObjectIDGenerator().next())
            try await staged.noteCommit(as: BlobName(key), of: id)
            await storage.revert(staged, as: key, of: id)
            #expect(try await storage.staging.unsettled() == [])
            await staged.discard()
            #expect(try names(folder) == [])
        }
    }

    @Test("a commit takes the place of one with the same note that stayed undecided")
    func repeated() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let (key, id) = (try #require(FileKey("abc")), ObjectIDGenerator().next())
            let first = try await storage.staging.stage(ByteBuffer(string: "first"))
            try await first.noteCommit(as: BlobName(key), of: id)
            try await first.synchronize()
            first.keepNote()
            await first.discard()
            let note = CommitNote(file: id, blob: BlobName(key), isDraft: true)
            #expect(try await storage.staging.unsettled() == [note])
            let second = try await storage.staging.stage(bytes)
            let facts = try await second.finish(size: 5, needsMD5: false).blob
            try await storage.commit(second, facts, as: key, of: id)
            await second.discard()
            #expect(try names(folder) == [])
            #expect(try await storage.staging.unsettled() == [])
            let blob = try #require(try await storage.blobs.open(key))
            #expect(try await blob.read(at: 0, count: 100) == bytes)
        }
    }

    @Test("bytes that are written out are in a closed file and can still be committed")
    func writtenOut() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let staged = try await storage.staging.stage(bytes)
            for _ in 0..<2 { try await staged.writeOut() }
            #expect(try names(folder).count == 1)
            #expect(try openFiles(folder) == 0)
            let note = try await commit(staged, to: storage)
            #expect(try names(folder) == [note.fileName])
            #expect(try openFiles(folder) == 0)
        }
    }

    @Test("a draft that has its file from the start is closed when it is written out")
    func writtenOutWithoutPlace() async throws {
        try await Samples.withFolder { folder in
            let staging = try storage(folder, places: 0).staging
            let staged = try await staging.stage(bytes)
            #expect(try openFiles(folder) == 1)
            try await staged.writeOut()
            #expect(try openFiles(folder) == 0)
            await staged.discard()
            #expect(try names(folder) == [])
        }
    }

    @Test("closed bytes of an upload are open for a read only as long as it lasts, and stay open after a write")
    func closed() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder)
            let staged = try await storage.staging.stage(bytes, as: ObjectIDGenerator().next())
            #expect(try openFiles(folder) == 1)
            for _ in 0..<2 { try await staged.close() }
            #expect(try openFiles(folder) == 0)
            #expect(try await staged.read(at: 0, count: 100) == bytes)
            #expect(try openFiles(folder) == 0)
            let writer = staged.write(at: 5, digesting: [])
            try await writer.append(ByteBuffer(string: " and more"))
            _ = try await writer.finish()
            #expect(try openFiles(folder) == 1)
            #expect(!staged.isSynced)
            try await staged.close()
            #expect(staged.isSynced)
            #expect(try await staged.finish(size: 14, needsMD5: true).head == ByteBuffer(string: "bytes and more"))
            _ = try await commit(staged, to: storage)
            await staged.discard()
            #expect(try names(folder) == [])
            #expect(try openFiles(folder) == 0)
        }
    }

    @Test("closed bytes become a blob on a file system without hard links, and the blob can be removed again")
    func closedWithoutLinks() async throws {
        try await Samples.withFolder { folder in
            let storage = try storage(folder, hasHardLinks: false)
            let draft = try await storage.staging.stage(bytes)
            try await draft.writeOut()
            let upload = try await storage.staging.stage(bytes, as: ObjectIDGenerator().next())
            try await upload.close()
            #expect(try openFiles(folder) == 0)
            for (staged, name, remaining) in [(draft, "draft", 1), (upload, "upload", 0)] {
                let key = try #require(FileKey(name))
                let note = try await commit(staged, to: storage, as: name)
                // The rename took the only name.
                #expect(try names(folder).count == remaining)
                // Bytes without a name stay open.
                try await staged.close()
                #expect(try await storage.blobs.open(key)?.read(at: 0, count: 100) == bytes)
                #expect(try await staged.read(at: 0, count: 100) == bytes)
                try await storage.blobs.undo(staged, as: BlobName(key), of: note.file)
                #expect(try await storage.blobs.open(key) == nil)
                await staged.discard()
            }
            #expect(try names(folder) == [])
        }
    }

    @Test("bytes that were closed and discarded do not become those of another upload with their name")
    func closedAndDiscarded() async throws {
        try await Samples.withFolder { folder in
            let staging = try storage(folder).staging
            let id = ObjectIDGenerator().next()
            let ended = try await staging.stage(bytes, as: id)
            try await ended.close()
            await ended.discard()
            let next = try await staging.stage(ByteBuffer(string: "next"), as: id)
            await expectFailure(.internalFailure) { _ = try await ended.read(at: 0, count: 100) }
            await next.discard()
        }
    }

    @Test("bytes that were discarded get no file from a job that comes late")
    func late() async throws {
        try await Samples.withFolder { folder in
            let staged = try await storage(folder).staging.stage(bytes)
            await staged.discard()
            await expectFailure(.internalFailure) { try await staged.writeOut() }
            #expect(try names(folder) == [])
        }
    }

    @Test("bytes without a place in memory have a file from the start, and a place is free after its discard")
    func places() async throws {
        try await Samples.withFolder { folder in
            let staging = try storage(folder, places: 1).staging
            for _ in 0..<2 {
                let first = try await staging.stage()
                #expect(try names(folder) == [])
                let second = try await staging.stage()
                #expect(try names(folder).count == 1)
                for staged in [first, second] { await staged.discard() }
                let third = try await staging.stage()
                #expect(try names(folder) == [])
                await third.discard()
            }
        }
    }

    @Test("what is in a file takes no place in memory")
    func placeOfFile() async throws {
        try await Samples.withFolder { folder in
            let staging = try storage(folder, places: 1).staging
            let first = try await staging.stage(bytes)
            try await first.synchronize()
            let second = try await staging.stage(bytes)
            #expect(try names(folder).count == 1)
            for staged in [first, second] { await staged.discard() }
        }
    }
}
