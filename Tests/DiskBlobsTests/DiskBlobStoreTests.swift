import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

@Suite struct DiskBlobStoreTests {
    private func key(_ text: String = "Kq3ZtV0bWn8sXy2LdPfRmA7cJh5uEiGo.png") throws -> FileKey {
        try #require(FileKey(text))
    }

    @Test("staged bytes on the disk keep the contract", arguments: StagingAreaContract.rules)
    func stagingContract(rule: ContractRule<any StagingArea>) async throws {
        try await Samples.withFolder { folder in
            try await rule.check(DiskStagingArea(folder: folder, pool: .singleton))
        }
    }

    @Test("blobs on the disk keep the contract", arguments: BlobStoreContract.rules)
    func contract(rule: ContractRule<BlobStorage>) async throws {
        try await Samples.withFolder { try await rule.check(BlobStorage(onDisk: $0)) }
    }

    @Test("blobs on the disk keep the contract with bytes from memory", arguments: BlobStoreContract.rules)
    func copyingContract(rule: ContractRule<BlobStorage>) async throws {
        try await Samples.withFolder { folder in
            let blobs = try DiskBlobStore(folder: folder, pool: .singleton)
            try await rule.check(BlobStorage(staging: MemoryStagingArea(), blobs: blobs))
        }
    }

    @Test("blobs in memory keep the contract with bytes from the disk", arguments: BlobStoreContract.rules)
    func memoryContract(rule: ContractRule<BlobStorage>) async throws {
        try await Samples.withFolder { folder in
            let staging = try DiskStagingArea(folder: folder, pool: .singleton)
            try await rule.check(BlobStorage(staging: staging, blobs: MemoryBlobStore()))
        }
    }

    @Test("bytes that were staged on the disk become a blob without a copy")
    func secondName() async throws {
        try await Samples.withFolder { folder in
            let storage = try BlobStorage(onDisk: folder)
            let id = ObjectIDGenerator().next()
            let staged = try await storage.staging.stage(as: id)
            let facts = try await staged.finish(size: 0, needsMD5: false).blob
            try await storage.commit(staged, facts, as: try #require(FileKey("abc")), of: id)
            let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            var first = stat()
            var second = stat()
            #expect(stat("\(folder)/staging/\(id).\(name)", &first) == 0)
            #expect(stat("\(folder)/blobs/ba/\(name)", &second) == 0)
            #expect(first.st_ino == second.st_ino)
            #expect(first.st_nlink == 2)
        }
    }

    @Test("of other bytes than were finished no copy is made, and one that was cut off is gone after a restart")
    func copies() async throws {
        try await Samples.withFolder { folder in
            let store = try DiskBlobStore(folder: folder, pool: .singleton)
            let staged = try await MemoryStagingArea().stage()
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "bytes"))
            _ = try await writer.finish()
            let facts = try await staged.finish(size: 5, needsMD5: false).blob
            try await writer.append(ByteBuffer(string: "!"))
            for wrong in [
                BlobFacts(size: 6, digest: facts.digest, md5: nil), BlobFacts(size: 7, digest: facts.digest, md5: nil),
            ] {
                await expectFailure(.internalFailure) {
                    try await store.put(staged, wrong, as: key(), of: ObjectIDGenerator().next())
                }
                #expect(try await store.open(key()) == nil)
            }
            let names = { try FileManager.default.contentsOfDirectory(atPath: "\(folder)/staging") }
            #expect(try names() == [])
            try "half".write(toFile: "\(folder)/staging/copy-0123", atomically: false, encoding: .utf8)
            _ = try DiskBlobStore(folder: folder, pool: .singleton)
            #expect(try names() == [])
        }
    }

    @Test("a blob has the digest of its key as its name, and is readable by its owner only")
    func layout() async throws {
        try await Samples.withFolder { folder in
            let storage = try BlobStorage(onDisk: folder)
            _ = try await storage.store("abc", as: try #require(FileKey("abc")))
            let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let path = "\(folder)/blobs/ba/\(name)"
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "abc")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("staging is empty after a commit, a discard and a restart")
    func staging() async throws {
        try await Samples.withFolder { folder in
            let contents = { try FileManager.default.contentsOfDirectory(atPath: "\(folder)/staging") }
            let storage = try BlobStorage(onDisk: folder)
            _ = try await storage.store("", as: key())
            let dropped = try await storage.staging.stage(ByteBuffer(repeating: 1, count: 300_000))
            #expect(try contents().count == 1)
            await dropped.discard()
            #expect(try contents() == [])
            let dead = try await storage.staging.stage()
            let writer = dead.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(repeating: 1, count: 3_000_000))
            _ = try await writer.finish()
            #expect(try contents().count == 1)
            let restarted = try BlobStorage(onDisk: folder)
            #expect(try contents() == [])
            #expect(try await restarted.blobs.open(key())?.size == 0)
        }
    }

    @Test("a commit whose blob cannot be taken back keeps the name by which the next start removes it")
    func stuckCommit() async throws {
        try await Samples.withFolder { folder in
            let files = FileManager.default
            let names = { try files.contentsOfDirectory(atPath: "\(folder)/staging") }
            let storage = try BlobStorage(onDisk: folder)
            let staged = try await storage.staging.stage()
            let facts = try await staged.finish(size: 0, needsMD5: false).blob
            let id = ObjectIDGenerator().next()
            let key = try #require(FileKey("abc"))
            try await storage.commit(staged, facts, as: key, of: id)
            // Where a file is in the place of the folder, it cannot be told whether the blob is there.
            let leaf = "\(folder)/blobs/ba"
            let blob = "\(leaf)/\(BlobName(key))"
            try files.moveItem(atPath: blob, toPath: "\(folder)/aside")
            try files.removeItem(atPath: leaf)
            try "".write(toFile: leaf, atomically: false, encoding: .utf8)
            await storage.revert(staged, as: key, of: id)
            await staged.discard()
            #expect(try names().count == 1)
            try files.removeItem(atPath: leaf)
            try files.createDirectory(atPath: leaf, withIntermediateDirectories: false)
            try files.moveItem(atPath: "\(folder)/aside", toPath: blob)
            let restarted = try BlobStorage(onDisk: folder)
            let note = CommitNote(file: id, blob: BlobName(key), isDraft: true)
            #expect(try await restarted.staging.leftovers() == [.committing(note)])
            try await restarted.settle(note, isCommitted: false, keepingBytes: false)
            #expect(try names() == [])
            #expect(!files.fileExists(atPath: blob))
        }
    }

    @Test("of many blobs one that cannot be removed stays alone, with the reason in its place")
    func removals() async throws {
        try await Samples.withFolder { folder in
            let store = try DiskBlobStore(folder: folder, pool: .singleton)
            let keys = try ["abc", "b", "c"].map { try #require(FileKey($0)) }
            let storage = try BlobStorage(onDisk: folder)
            for key in keys.dropFirst() { _ = try await storage.store("bytes", as: key) }
            let blob = "\(folder)/blobs/ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            try FileManager.default.createDirectory(atPath: blob, withIntermediateDirectories: true)
            let failures = try await store.remove([keys[1], keys[0], keys[2]])
            #expect(failures.map { $0 == nil } == [true, false, true])
            #expect(((failures[1] as? ServiceError)?.cause as? SyscallError)?.number == EISDIR)
            for key in keys.dropFirst() { #expect(try await store.open(key) == nil) }
        }
    }

    @Test("a cancelled upload leaves nothing in staging")
    func cancelled() async throws {
        try await Samples.withFolder { folder in
            let staged = try await DiskStagingArea(folder: folder, pool: .singleton).stage()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try? await staged.write(at: 0, digesting: []).append(ByteBuffer(repeating: 1, count: 3_000_000))
                await staged.discard()
            }
            await task.value
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/staging") == [])
        }
    }

    @Test("a link in the place of a blob is not followed")
    func link() async throws {
        try await Samples.withFolder { folder in
            let store = try DiskBlobStore(folder: folder, pool: .singleton)
            let layout = try BlobLayout(folder: folder)
            let path = layout.path(of: BlobName(try key()))
            _ = try layout.prepareFolder(of: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
            await #expect(throws: ServiceError.self) { try await store.open(key()) }
        }
    }
}

extension BlobStorage {
    /// Both in one folder.
    init(onDisk folder: String, health: StorageHealth = StorageHealth()) throws {
        self.init(
            staging: try DiskStagingArea(folder: folder, pool: .singleton, health: health),
            blobs: try DiskBlobStore(folder: folder, pool: .singleton, health: health)
        )
    }
}
