import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Synchronization
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

    @Test("while the folder of the blobs is away they count as neither missing nor removed, and all are there again")
    func displacedFolder() async throws {
        try await Samples.withFolder { folder in
            let health = StorageHealth()
            let store = try DiskBlobStore(folder: folder, pool: .singleton, health: health)
            let key = try key()
            let blob = TrashedBlob(entry: ObjectIDGenerator().next(), key: key)
            _ = try await BlobStorage(onDisk: folder).store("bytes", as: key)
            let (blobs, aside) = ("\(folder)/blobs", "\(folder)/aside")
            try FileManager.default.moveItem(atPath: blobs, toPath: aside)
            let errors = [
                await #expect(throws: ServiceError.self) { _ = try await store.open(key) },
                await #expect(throws: ServiceError.self) { _ = try await store.restore(blob) },
                try await store.remove([key]).first as? ServiceError,
                try await store.moveToTrash([blob]).first as? ServiceError,
            ]
            for error in errors {
                #expect(error?.code == .storageReadOnly)
                #expect(error?.cause as? StorageDisplacement == .folder(blobs))
            }
            #expect(health.faults == [.failing])
            try FileManager.default.moveItem(atPath: aside, toPath: blobs)
            #expect(try await store.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try await store.restore(blob))
            #expect(try await store.open(key)?.size == 5)
        }
    }

    @Test("while the folder of the trash is away its bytes count as neither lost nor removed, and all are there again")
    func displacedTrash() async throws {
        try await Samples.withFolder { folder in
            let health = StorageHealth()
            let store = try DiskBlobStore(folder: folder, pool: .singleton, health: health)
            let storage = try BlobStorage(onDisk: folder)
            let keys = [try key(), try key("second")]
            let blobs = keys.map { TrashedBlob(entry: ObjectIDGenerator().next(), key: $0) }
            for key in keys { _ = try await storage.store("bytes", as: key) }
            // Without a trash there is nothing to miss.
            #expect(try await store.removeFromTrash([blobs[0].entry]).allSatisfy { $0 == nil })
            #expect(try await store.moveToTrash([blobs[0]]).allSatisfy { $0 == nil })
            let (trash, aside) = ("\(folder)/trash", "\(folder)/aside")
            try FileManager.default.moveItem(atPath: trash, toPath: aside)
            let errors = [
                await #expect(throws: ServiceError.self) { _ = try await store.open(trashed: blobs[0].entry) },
                await #expect(throws: ServiceError.self) { _ = try await store.restore(blobs[0]) },
                try await store.removeFromTrash([blobs[0].entry]).first as? ServiceError,
                try await store.moveToTrash([blobs[1]]).first as? ServiceError,
            ]
            for error in errors {
                #expect(error?.code == .storageReadOnly)
                #expect(error?.cause as? StorageDisplacement == .trash(trash))
            }
            #expect(health.faults == [.failing])
            #expect(!FileManager.default.fileExists(atPath: trash))
            // A store that is opened without the folder treats what was in it as lost.
            let later = try DiskBlobStore(folder: folder, pool: .singleton)
            #expect(try await later.restore(blobs[0]) == false)
            #expect(try await later.removeFromTrash([blobs[0].entry]).allSatisfy { $0 == nil })
            try FileManager.default.moveItem(atPath: aside, toPath: trash)
            #expect(try await store.moveToTrash([blobs[1]]).allSatisfy { $0 == nil })
            for blob in blobs { #expect(try await store.restore(blob)) }
            #expect(try await store.open(keys[0])?.size == 5)
        }
    }

    @Test("a trash that was put back after the start is missed, too, when it is away again", arguments: 0..<4)
    func displacedAgain(use: Int) async throws {
        try await Samples.withFolder { folder in
            let first = try DiskBlobStore(folder: folder, pool: .singleton)
            let keys = [try key(), try key("second"), try key("third")]
            let blobs = keys.map { TrashedBlob(entry: ObjectIDGenerator().next(), key: $0) }
            let storage = try BlobStorage(onDisk: folder)
            for key in keys { _ = try await storage.store("bytes", as: key) }
            #expect(try await first.moveToTrash([blobs[0]]).allSatisfy { $0 == nil })
            let (trash, aside) = ("\(folder)/trash", "\(folder)/aside")
            try FileManager.default.moveItem(atPath: trash, toPath: aside)
            let store = try DiskBlobStore(folder: folder, pool: .singleton)
            try FileManager.default.moveItem(atPath: aside, toPath: trash)
            switch use {
            case 0: #expect(try await store.open(trashed: blobs[0].entry)?.size == 5)
            case 1: #expect(try await store.restore(blobs[1]))
            case 2: #expect(try await store.removeFromTrash([blobs[1].entry]).allSatisfy { $0 == nil })
            default: #expect(try await store.moveToTrash([blobs[1]]).allSatisfy { $0 == nil })
            }
            try FileManager.default.moveItem(atPath: trash, toPath: aside)
            let errors = [
                await #expect(throws: ServiceError.self) { _ = try await store.restore(blobs[0]) },
                try await store.removeFromTrash([blobs[0].entry]).first as? ServiceError,
                try await store.moveToTrash([blobs[2]]).first as? ServiceError,
            ]
            for error in errors { #expect(error?.cause as? StorageDisplacement == .trash(trash)) }
            #expect(!FileManager.default.fileExists(atPath: trash))
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

    @Test("a full disk is storageFull, not an internal failure")
    func full() throws {
        let descriptor = try Descriptor("/dev/full", O_WRONLY)
        let error = #expect(throws: ServiceError.self) {
            try [UInt8](repeating: 0, count: 10).withUnsafeBytes { try descriptor.write($0) }
        }
        #expect(error?.code == .storageFull)
        #expect(error?.message.contains("/dev/full") == false)
    }

    @Test(
        "each error number that the storage causes means something to a client",
        arguments: [
            (ENOSPC, .storageFull), (EDQUOT, .storageFull), (EFBIG, .storageFull), (EROFS, .storageReadOnly),
            (EIO, .storageFailing), (ENOENT, .internalFailure), (EMFILE, .internalFailure),
        ] as [(CInt, ServiceError.Code)]
    )
    func table(number: CInt, code: ServiceError.Code) {
        #expect(failure(of: "write", number).code == code)
    }

    @Test("while the storage is full no byte is written, and what is written already can be committed and removed")
    func refusesBytes() async throws {
        try await Samples.withFolder { folder in
            let full = FullStorage()
            let health = StorageHealth(inspector: full)
            let storage = try BlobStorage(onDisk: folder, health: health)
            let facts = try await storage.store("kept", as: key())
            #expect(facts.size == 4)
            full.isFull.withLock { $0 = true }
            health.look()
            let staged = try await storage.staging.stage()
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(repeating: 1, count: 300_000))
            await expectFailure(.storageFull) { try await writer.finish() }
            #expect(try await staged.extent() == 0)
            await staged.discard()
            await expectFailure(.storageFull) { try await storage.store("small", as: key("other")) }
            #expect(try await storage.blobs.open(key("other")) == nil)
            try await storage.blobs.remove(key())
            #expect(try await storage.blobs.open(key()) == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/staging") == [])
        }
    }

    @Test(
        "uploads are refused while one of their folders is missing, and accepted when it is back",
        arguments: ["staging", "blobs"]
    )
    func missingFolder(name: String) async throws {
        try await Samples.withFolder { folder in
            let health = StorageHealth()
            let storage = try BlobStorage(onDisk: folder, health: health)
            let (path, aside) = ("\(folder)/\(name)", "\(folder)/aside")
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            await expectFailure(.storageReadOnly) { try await storage.store("small", as: key()) }
            if name == "staging" {
                let upload = ObjectIDGenerator().next()
                await expectFailure(.storageReadOnly) { try await storage.staging.stage(as: upload) }
            }
            #expect(health.faults == [.failing])
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            #expect(try await storage.store("small", as: key()).size == 5)
        }
    }

    @Test("bytes that no part will ever have are given back when the disk is full")
    func givesBack() async throws {
        try await Samples.withFolder { folder in
            let full = FullStorage()
            let health = StorageHealth(inspector: full)
            let staging = try DiskStagingArea(folder: folder, pool: .singleton, health: health)
            let staged = try await staging.stage(as: ObjectIDGenerator().next())
            let writer = staged.write(at: 0, digesting: [])
            let megabyte = ByteBuffer(repeating: 1, count: 1 << 20)
            try await writer.append(megabyte)
            _ = try await writer.finish()
            for _ in 0..<4 { try await writer.append(megabyte) }
            full.isFull.withLock { $0 = true }
            health.look()
            await #expect(throws: ServiceError.self) {
                try await writer.append(megabyte)
                _ = try await writer.finish()
            }
            await writer.settle()
            // The fourth piece may have been on its way when the disk became full, and then nothing of it is there.
            for number in 1..<5 {
                let bytes = try await staged.read(at: Int64(number) << 20, count: 1 << 20)
                #expect(bytes.readableBytesView.allSatisfy { $0 == 0 })
            }
            #expect(try await staged.read(at: 0, count: 1 << 20) == megabyte)
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

/// A storage that is full when the test says so.
private final class FullStorage: StorageInspector {
    let isFull = Mutex(false)

    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        var condition = StorageCondition()
        condition.refusesGrowth = isFull.withLock { $0 }
        return condition
    }
}
