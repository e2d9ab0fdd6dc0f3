import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Synchronization
import Testing

@testable import DiskBlobs

/// What a failing storage means: folders that are away, and disks that are full.
@Suite struct DiskFaultTests {
    private func key(_ text: String = "Kq3ZtV0bWn8sXy2LdPfRmA7cJh5uEiGo.png") throws -> FileKey {
        try #require(FileKey(text))
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
