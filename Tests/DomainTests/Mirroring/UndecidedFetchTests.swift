import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Commits of one missing file on a server that is alone with its staging area, of which an earlier one stayed undecided.
@Suite struct UndecidedFetchTests {
    private let coordination = MemoryCoordination()
    private let fixture: UploadFixture
    private let key: FileKey

    init() throws {
        // With the objects in PostgreSQL: tests see who waits for a claim.
        fixture = try UploadFixture(store: MemoryObjectStore(isShared: true, coordination: coordination))
        key = try #require(FileKey("old/photo.txt"))
    }

    /// A way to the storage of the server.
    private func service(through store: any ObjectStore) -> UploadService {
        let files = FileService(files: FileRecords(fixture.store), blobs: fixture.blobs)
        return UploadService(
            app: fixture.people.guest.app,
            limits: UploadLimits(),
            storage: fixture.storage,
            store: store,
            types: FixedTypes(),
            sessions: fixture.people.sessions,
            deletions: FileDeletions(
                app: fixture.people.guest.app,
                store: fixture.store,
                blobs: fixture.blobs,
                files: files
            )
        )
    }

    private func fetch(on service: UploadService) async throws {
        _ = try await service.mirror(key, upTo: 100) { sink in
            try await sink.append(ByteBuffer(string: "bytes"))
            return FetchedHead(mediaType: nil)
        }
    }

    @Test("an earlier commit is decided only while no fetch stores the file", arguments: [true, false])
    func decidedMeanwhile(isSweep: Bool) async throws {
        let (id, now) = (ObjectIDGenerator().next(), Timestamp.now())
        let fields: [String: JSONValue] = ["key": .string(key.description), "name": "photo.txt", "_mirror": "missing"]
        let missing = StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields)
        try await fixture.store.write { try $0.insert(missing, into: .file) }
        fixture.blobs.failPuts(StorageFault.failing.error(), afterStoring: true)
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectFailure(.storageFailing) { try await fetch(on: service(through: fixture.store)) }
        fixture.blobs.failPuts(nil)
        fixture.blobs.failUndos(nil)
        #expect(fixture.staging.undecidedCommits(of: id).count == 1)
        let (listed, mayGoOn) = (Gate(), Gate())
        let isDecided = Atomic(false)
        let deciding = service(
            through: HookedStore(
                fixture.store,
                afterRead: {
                    // The undecided commits were listed before the first read.
                    listed.open()
                    await mayGoOn.wait()
                }
            )
        )
        let fetching = service(
            through: HookedStore(
                fixture.store,
                beforeWrite: { [fixture, coordination] in
                    // The fetch has decided the earlier commit: this write is that of its record.
                    guard fixture.staging.undecidedCommits(of: id).isEmpty else { return }
                    mayGoOn.open()
                    try await eventually {
                        coordination.waitingForLocks == 1 || isDecided.load(ordering: .relaxed)
                    }
                }
            )
        )
        async let decided: Void = {
            defer { isDecided.store(true, ordering: .relaxed) }
            if isSweep { _ = try await deciding.sweep() } else { try await deciding.settle(id, isEnded: true) }
        }()
        await listed.wait()
        try await fetch(on: fetching)
        mayGoOn.open()
        try await decided
        #expect(try await fixture.text(of: key) == "bytes")
        #expect(try await FileRecords(fixture.store).file(key: key)?.id == id)
        #expect(fixture.staging.count == 0)
    }
}
