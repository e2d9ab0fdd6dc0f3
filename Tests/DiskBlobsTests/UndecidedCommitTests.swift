import Domain
import Foundation
import NIOCore
import Support
import Synchronization
import Testing

@testable import DiskBlobs

/// Commits to a disk after one that stayed undecided, whose blob is still a second name of its staged bytes.
@Suite struct UndecidedCommitTests {
    /// A server with its objects in memory and its bytes in a folder.
    private struct Server {
        let folder: String
        let base = MemoryObjectStore()
        let store: RecoveringStore
        let storage: BlobStorage
        let guest: Caller

        init(in folder: String) throws {
            self.folder = folder
            store = RecoveringStore(base)
            storage = try BlobStorage(onDisk: folder)
            guest = try Samples.guest()
        }

        func service(through store: (any ObjectStore)? = nil) -> UploadService {
            UploadService(
                app: guest.app,
                limits: UploadLimits(partSize: 4),
                storage: storage,
                store: store ?? self.store,
                types: FixedTypes(),
                sessions: SessionService(
                    store: base,
                    dependencies: AccountDependencies(changes: base.changes, hasher: PlainHasher())
                )
            )
        }

        func text(of record: FileRecord) async throws -> String? {
            guard let blob = try await storage.blobs.open(record.key) else { return nil }
            return String(buffer: try await blob.read(at: 0, count: 100))
        }

        func expectNothingStaged(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/staging")
            #expect(names == [], sourceLocation: sourceLocation)
            #expect(try await storage.staging.unsettled() == [], sourceLocation: sourceLocation)
        }
    }

    private func withServer(_ body: (Server) async throws -> Void) async throws {
        try await Samples.withFolder { try await body(Server(in: $0)) }
    }

    @Test("other bytes make the file after parts whose commit stayed undecided", arguments: [true, false])
    func otherBytes(isOneRequest: Bool) async throws {
        try await withServer { server in
            let service = server.service()
            let description = UploadDescription(name: try FileName("a.txt", limit: 255))
            let (_, token) = try await service.announce(UploadAnnouncement(description, size: nil), as: server.guest)
            var claims: [(number: Int, tag: String)] = []
            for (number, text) in [(1, "aaaa"), (2, "bbbb")] {
                let receipt = try await service.using(token) { upload in
                    try await upload.receivePart(number, size: 4, expecting: [:]) { sink in
                        try await sink.append(ByteBuffer(string: text))
                    }
                }
                claims.append((number, receipt.tag))
            }
            let parts = claims
            server.store.failWrites(2)
            await expectFailure(.storageFailing) { try await service.using(token) { try await $0.finish(parts) } }
            let record = try await service.using(token) { upload in
                guard isOneRequest else { return try await upload.finish([parts[1]]) }
                return try await upload.receiveAll(announced: nil) { sink in
                    try await sink.append(ByteBuffer(string: "bbbb"))
                    return [:]
                }
            }
            #expect(try await server.text(of: record) == "bbbb")
            try await server.expectNothingStaged()
        }
    }

    /// Inserts the record of a file whose bytes are missing.
    private func insertMissing(_ key: FileKey, on server: Server) async throws -> ObjectID {
        let (id, now) = (ObjectIDGenerator().next(), Timestamp.now())
        let fields: [String: JSONValue] = [
            "key": .string(key.description), "name": .string("photo.txt"), "_mirror": .string("missing"),
        ]
        let missing = StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields)
        try await server.base.write { try $0.insert(missing, into: .file) }
        return id
    }

    private func fetch(_ key: FileKey, on service: UploadService) async throws -> FileRecord {
        try await service.mirror(key, upTo: 100) { sink in
            try await sink.append(ByteBuffer(string: "bytes"))
            return FetchedHead(mediaType: nil)
        }
    }

    @Test("a fetch of a missing file stores it after one whose commit stayed undecided")
    func fetches() async throws {
        try await withServer { server in
            let key = try #require(FileKey("old/photo.txt"))
            let id = try await insertMissing(key, on: server)
            let service = server.service()
            server.store.failWrites(2)
            await expectFailure(.storageFailing) { try await fetch(key, on: service) }
            let record = try await fetch(key, on: service)
            #expect(record.id == id)
            #expect(try await server.text(of: record) == "bytes")
            try await server.expectNothingStaged()
        }
    }

    @Test("an upload for a missing file stores it after a fetch whose commit stayed undecided while the upload ended")
    func upload() async throws {
        try await withServer { server in
            let key = try #require(FileKey("old/photo.txt"))
            let id = try await insertMissing(key, on: server)
            let fetching = server.service()
            let isArmed = Atomic(false)
            let hooked = HookedStore(
                server.store,
                afterRead: {
                    guard isArmed.exchange(false, ordering: .relaxed) else { return }
                    server.store.failWrites(2)
                    await expectFailure(.storageFailing) { try await fetch(key, on: fetching) }
                }
            )
            let service = server.service(through: hooked)
            var description = UploadDescription(name: try FileName("a.txt", limit: 255))
            description.systemFields = ["objectId": .string(id.description)]
            let announcement = UploadAnnouncement(description, key: key.description, size: nil)
            let master = Caller(app: server.guest.app, isMaster: true)
            let (_, token) = try await service.announce(announcement, as: master)
            let record = try await service.using(token) { upload in
                try await upload.receiveAll(announced: nil) { sink in
                    try await sink.append(ByteBuffer(string: "upload"))
                    // The next read is that under the claim on the key, after the upload decided its own commits.
                    isArmed.store(true, ordering: .relaxed)
                    return [:]
                }
            }
            #expect(record.id == id)
            #expect(try await server.text(of: record) == "upload")
            try await server.expectNothingStaged()
        }
    }
}
