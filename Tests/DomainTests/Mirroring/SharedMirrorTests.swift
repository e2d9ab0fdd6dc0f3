import NIOCore
import Support
import Testing

@testable import Domain

/// Several servers that fetch the bytes of one missing file.
@Suite struct SharedMirrorTests {
    private let coordination = MemoryCoordination()
    private let fixture: SharedUploadFixture
    private let key: FileKey

    init() throws {
        fixture = try SharedUploadFixture(coordination: coordination)
        key = try #require(FileKey("old/photo.txt"))
    }

    /// A server with another way to the store.
    private func server(_ number: Int, store: (any ObjectStore)? = nil) -> UploadService {
        let files = FileService(files: FileRecords(fixture.store), blobs: fixture.blobs)
        let deletions = FileDeletions(
            app: fixture.people.guest.app,
            store: fixture.store,
            blobs: fixture.blobs,
            files: files
        )
        return fixture.server(number, UploadLimits(), store: store, deletions: deletions)
    }

    private func fetch(on service: UploadService) async throws {
        _ = try await service.mirror(key, upTo: 100) { sink in
            try await sink.append(ByteBuffer(string: "bytes"))
            return FetchedHead(mediaType: nil)
        }
    }

    @Test("what a dead server fetched is decided only while no other one fetches the file", arguments: [true, false])
    func deadFetch(isStart: Bool) async throws {
        let now = Timestamp.now()
        let fields: [String: JSONValue] = ["key": .string(key.description), "name": "photo.txt", "_mirror": "missing"]
        let missing = StoredObject(id: ObjectIDGenerator().next(), createdAt: now, updatedAt: now, fields: fields)
        try await fixture.store.write { try $0.insert(missing, into: .file) }
        // The first one ends after its note.
        fixture.blobs.failPuts(StorageFault.failing.error())
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectFailure(.storageFailing) { try await fetch(on: server(1)) }
        fixture.blobs.failPuts(nil)
        fixture.blobs.failUndos(nil)
        fixture.staging.end(1)
        // The second one has put its bytes, and is about to store the record.
        let sweeping = server(3)
        let sweep = Gate()
        let store = HookedStore(
            fixture.store,
            beforeWrite: { [coordination] in
                sweep.open()
                try await eventually { coordination.waitingForLocks == 1 }
            }
        )
        async let decided: Void = {
            await sweep.wait()
            if isStart { try await sweeping.recover(fixture.quiet) } else { _ = try await sweeping.sweep() }
        }()
        try await fetch(on: server(2, store: store))
        try await decided
        #expect(try await fixture.text(of: key) == "bytes")
        #expect(try await FileRecords(fixture.store).file(key: key)?.id == missing.id)
        fixture.expectNothingStaged()
    }
}
