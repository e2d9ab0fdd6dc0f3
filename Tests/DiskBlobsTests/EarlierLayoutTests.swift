import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

/// Blobs that a version with two levels of folders stored.
@Suite struct EarlierLayoutTests {
    /// Stores a blob, and moves it to where earlier versions had it.
    private func withEarlierBlob(
        _ body: (_ folder: String, BlobStorage, _ key: FileKey, _ path: String) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let storage = try BlobStorage(onDisk: folder)
            let key = try #require(FileKey("abc"))
            _ = try await storage.store("earlier", as: key)
            let layout = BlobLayout(reading: folder)
            let path = layout.earlierPath(of: BlobName(key))
            #expect(path == "\(folder)/blobs/ba/78/\(BlobName(key))")
            try FileManager.default.createDirectory(atPath: layout.parent(path), withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: layout.path(of: BlobName(key)), toPath: path)
            try await body(folder, try BlobStorage(onDisk: folder), key, path)
        }
    }

    @Test("they are read")
    func read() async throws {
        try await withEarlierBlob { _, storage, key, _ in
            let found = try await storage.blobs.open(key)
            let blob = try #require(found)
            let bytes = try await blob.read(at: 0, count: 10)
            #expect(String(buffer: bytes) == "earlier")
        }
    }

    @Test("they are removed")
    func removed() async throws {
        try await withEarlierBlob { _, storage, key, path in
            let failures = try await storage.blobs.remove([key])
            #expect(failures.allSatisfy { $0 == nil })
            #expect(!FileManager.default.fileExists(atPath: path))
            let found = try await storage.blobs.open(key)
            #expect(found == nil)
        }
    }

    @Test("their keys are taken, for staged bytes of the disk and for others")
    func taken() async throws {
        try await withEarlierBlob { _, storage, key, path in
            await expectFailure(.duplicateValue) { _ = try await storage.store("new", as: key) }
            let elsewhere = BlobStorage(staging: MemoryStagingArea(), blobs: storage.blobs)
            await expectFailure(.duplicateValue) { _ = try await elsewhere.store("new", as: key) }
            let kept = try String(contentsOfFile: path, encoding: .utf8)
            #expect(kept == "earlier")
        }
    }

    @Test("an interrupted commit of an earlier version is undone")
    func undone() async throws {
        try await Samples.withFolder { folder in
            let storage = try BlobStorage(onDisk: folder)
            let staged = try await storage.staging.stage()
            let facts = try await staged.finish(size: 0, needsMD5: false).blob
            let key = try #require(FileKey("abc"))
            let id = ObjectIDGenerator().next()
            try await storage.commit(staged, facts, as: key, of: id)
            let layout = BlobLayout(reading: folder)
            let path = layout.earlierPath(of: BlobName(key))
            try FileManager.default.createDirectory(atPath: layout.parent(path), withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: layout.path(of: BlobName(key)), toPath: path)
            try await BlobStorage(onDisk: folder).settle(
                CommitNote(file: id, blob: BlobName(key), isDraft: true),
                isCommitted: false,
                keepingBytes: false
            )
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("a backup has them where new blobs are")
    func copied() async throws {
        try await withEarlierBlob { folder, _, key, _ in
            try await Samples.withFolder { target in
                let facts = BlobFacts(size: 7, digest: .contentHash(ContentHash.joining([])), md5: nil)
                let entry = FileEntry(id: ObjectIDGenerator().next(), key: key, facts: facts)
                #expect(try BlobSource(folder: folder).check([entry], comparingDigests: false) == [.whole])
                var copy = try BlobCopy(from: BlobSource(folder: folder), to: target, comparingDigests: false)
                #expect(try copy.copy([entry]) == [.whole])
                let path = BlobLayout(reading: target).path(of: BlobName(key))
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "earlier")
            }
        }
    }
}
