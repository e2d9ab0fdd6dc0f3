import Domain
import Support
import Testing

@testable import DiskBlobs

/// Blobs as objects, under names that their owner chooses.
@Suite struct BlobRepositoryTests {
    @Test("a blob without an object of the usual name is looked for, and one that is not found is missing")
    func otherName() async throws {
        try await withObjects { folder, repository, file in
            let path = "\(folder)/copy"
            let sizes = try repository.checkSizes([file, file])
            #expect(sizes == [.whole, .whole])
            #expect(try repository.check([file], through: folder) == [.whole])
            #expect(try repository.fetch(file, to: path, comparingDigest: true) == .whole)
            let copies = BlobRepository(target: MemoryBackupTarget()) { "copy/\($0.id)" }
            #expect(try copies.upload([file], from: repository, through: folder) == [.whole])
            #expect(try copies.check([file], through: folder) == [.whole])
            // Without a search, only the usual name counts.
            let plain = BlobRepository(target: repository.target) { "blobs/\($0.id)" }
            #expect(try plain.checkSizes([file]) == [.missing])
            #expect(try plain.check([file], through: folder) == [.missing])
        }
    }

    @Test("an object that the search names and that is gone is a missing blob")
    func goneMeanwhile() async throws {
        try await withObjects { folder, repository, file in
            try repository.target.remove(["blobs/\(file.id)p1"])
            #expect(try repository.checkSizes([file]) == [.missing])
            #expect(try repository.check([file], through: folder) == [.missing])
        }
    }

    /// A repository in which the blob of a file has the name of a later put.
    private func withObjects(_ body: (String, BlobRepository, FileEntry) throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let record = try Samples.record()
            let bytes = Array("bytes".utf8)
            let facts = BlobFacts(size: 5, digest: BlobRepositoryTests.digest(of: bytes), md5: nil)
            let file = FileEntry(id: record.id, key: record.key, facts: facts)
            let target = MemoryBackupTarget()
            try target.put("blobs/\(record.id)p1", bytes: bytes)
            let repository = BlobRepository(target: target) {
                "blobs/\($0.id)"
            } searching: {
                "blobs/\($0.id)p1"
            }
            try body(folder, repository, file)
        }
    }

    private static func digest(of bytes: [UInt8]) -> BlobDigest {
        var hasher = BlobHasher(like: .sha256(""))
        bytes.withUnsafeBytes { hasher.update($0) }
        return hasher.digest
    }
}
