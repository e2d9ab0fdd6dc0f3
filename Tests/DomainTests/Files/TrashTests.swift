import NIOCore
import Support
import Testing

@testable import Domain

/// Files that go into the trash and come back, with their bytes.
@Suite struct TrashTests {
    private let fixture: DeletionFixture

    init() throws {
        fixture = try DeletionFixture(trash: TrashSettings(keep: 60))
    }

    private func trash(_ server: DeletionFixture.Server, on store: (any ObjectStore)? = nil) -> TrashService {
        let settings = fixture.uploads.people.objects.settings.copy(trash: TrashSettings(keep: 60))
        return TrashService(
            store: store ?? fixture.store,
            blobs: server.blobs,
            uploads: server.uploads,
            settings: settings
        )
    }

    @Test("the bytes of a deleted file move away from their key, and its derivatives go")
    func move() async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        try await fixture.delete([record], on: server)
        #expect(try await server.files.find(record.key) == nil)
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
        #expect(fixture.blobs.trashCount == 1)
    }

    @Test(
        "a restored file is served under its key again, whether or not its bytes had moved",
        arguments: [false, true]
    )
    func restore(isMoved: Bool) async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        try await fixture.delete([record], on: server)
        if isMoved { #expect(await server.deletions.drain()) }
        let members = try await trash(server).restore(record.id, as: fixture.master)
        #expect(members["objectId"] == .string(record.id.description))
        #expect(await server.deletions.drain())
        #expect(try await server.files.find(record.key) != nil)
        #expect(fixture.blobs.count == 1)
        #expect(fixture.blobs.trashCount == 0)
        #expect(try await fixture.store.read { try $0.usage() }.trashFiles == 0)
    }

    @Test("a key in the trash is free: the new file stays, and the old one cannot be restored until it is gone")
    func reusedKey() async throws {
        let server = fixture.server()
        let first = try await fixture.upload("first", as: "logo.png", on: server)
        try await fixture.delete([first], on: server)
        let second = try await fixture.upload("second", as: "logo.png", on: server)
        await expectFailure(.duplicateValue) { try await trash(server).restore(first.id, as: fixture.master) }
        #expect(await server.deletions.drain())
        #expect(try await fixture.blobs.open(second.key)?.size == 6)
        try await fixture.delete([second], on: server)
        _ = try await trash(server).restore(first.id, as: fixture.master)
        #expect(await server.deletions.drain())
        #expect(try await fixture.blobs.open(first.key)?.size == 5)
        #expect(fixture.blobs.trashCount == 1)
    }

    @Test("an entry that is removed while its bytes move leaves the key to the next file, and no bytes in the trash")
    func removedInMove() async throws {
        let server = fixture.server()
        let first = try await fixture.upload("first", as: "logo.png", on: server)
        try await fixture.delete([first], on: server)
        let token = try await fixture.announce("logo.png", on: server)
        let (store, blobs, trash, master) = (fixture.store, fixture.blobs, trash(server), fixture.master)
        // Behind the move, before the row of the queue goes.
        let hooked = HookedStore(
            store,
            beforeWrite: {
                guard blobs.trashCount == 1, store.count(of: .trash) == 1 else { return }
                try await trash.remove(first.id, as: master)
            }
        )
        let second = try await fixture.server(on: hooked).uploads.put("second", token)
        #expect(await server.deletions.drain())
        #expect(blobs.trashCount == 0)
        #expect(try await blobs.open(second.key)?.size == 6)
        #expect(fixture.log.all == [])
    }

    @Test("a restore waits for the bytes of a file with its key that is deleted just before")
    func deletedBeforeRestore() async throws {
        let server = fixture.server()
        let first = try await fixture.upload("first", as: "logo.png", on: server)
        try await fixture.delete([first], on: server)
        let second = try await fixture.upload("second", as: "logo.png", on: server)
        let (store, objects, master) = (fixture.store, server.objects, fixture.master)
        // Behind the look at the queue, before the restore is noted.
        let hooked = HookedStore(
            store,
            beforeWrite: {
                guard store.count(of: .file) == 1 else { return }
                _ = try await objects.perform(ObjectCommand(.file, .delete([second.id], where: nil)), as: master)
            }
        )
        _ = try await trash(fixture.server(on: hooked), on: hooked).restore(first.id, as: master)
        #expect(await server.deletions.drain())
        #expect(try await fixture.blobs.open(first.key)?.size == 5)
        #expect(fixture.blobs.trashCount == 1)
        #expect(fixture.log.all == [])
    }

    @Test("an entry whose time is over, or that is removed, takes its bytes with it", arguments: [false, true])
    func removal(isMoved: Bool) async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        try await fixture.delete([record], on: server)
        if isMoved { #expect(await server.deletions.drain()) }
        try await trash(server).remove(record.id, as: fixture.master)
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
        #expect(fixture.blobs.trashCount == 0)
        await expectFailure(.objectNotFound) { try await trash(server).restore(record.id, as: fixture.master) }
    }

    @Test("only entries whose time is over expire, in any number")
    func expiry() async throws {
        let records = try await fixture.insert(TrashService.batchSize + 3)
        let server = fixture.server()
        let now = Timestamp.now()
        try await fixture.store.write { [ids = ObjectIDGenerator()] writer in
            for (record, seconds) in zip(records, [3600] + records.dropFirst().map { _ in -1 }) {
                _ = try writer.delete(record.id, in: .file)
                let caller = fixture.master
                try writer.moveToTrash(
                    [record.object],
                    for: seconds,
                    because: .collected,
                    by: caller,
                    at: now,
                    ids: ids
                )
            }
        }
        let (removed, next) = try await trash(server).expire()
        #expect(removed == records.count - 1)
        #expect(next == now.adding(seconds: 3600))
        #expect(await server.deletions.drain())
        #expect(fixture.blobs.trashCount == 1)
    }

    @Test("a server that dies behind any step of a move leaves what the next one ends", arguments: DeathAfter.allCases)
    func deathInMove(after death: DeathAfter) async throws {
        let records = try await fixture.insert(3)
        try await fixture.delete(Array(records[..<2]), on: fixture.server())
        let dying = fixture.server(
            on: HookedStore.dying(after: death, on: fixture.store),
            DyingBlobStore(base: fixture.blobs, death: death)
        )
        #expect(await dying.deletions.drain() == false)
        #expect(await fixture.server().deletions.drain())
        #expect(fixture.counts == [1, 0, 1, 1])
        #expect(fixture.blobs.trashCount == 2)
    }

    @Test("a server that dies while it restores leaves the entry, and nothing under the key", arguments: [true, false])
    func deathInRestoring(isBeforeBytes: Bool) async throws {
        let record = try await fixture.insert(1)[0]
        let healthy = fixture.server()
        try await fixture.delete([record], on: healthy)
        #expect(await healthy.deletions.drain())
        let dying = fixture.server(DyingBlobStore(base: fixture.blobs, death: isBeforeBytes ? .transaction : .blobs))
        await #expect(throws: CancellationError.self) {
            try await trash(dying).restore(record.id, as: fixture.master)
        }
        #expect(fixture.blobs.count == (isBeforeBytes ? 0 : 1))
        let next = fixture.server()
        #expect(await next.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
        #expect(fixture.blobs.trashCount == 1)
        _ = try await trash(next).restore(record.id, as: fixture.master)
        #expect(try await next.files.find(record.key) != nil)
    }

    @Test("a move that fails is tried again, and the entry is not restored meanwhile")
    func failingMove() async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        fixture.blobs.failRemovals(of: record.key, times: 2)
        try await fixture.delete([record], on: server)
        #expect(await server.deletions.drain() == false)
        await #expect(throws: ServiceError.self) { try await trash(server).restore(record.id, as: fixture.master) }
        server.deletions.startOver()
        #expect(await server.deletions.drain())
        #expect(fixture.blobs.trashCount == 1)
    }

    @Test("lost bytes are an error, and the entry stays")
    func lost() async throws {
        let record = try await fixture.insert(1)[0]
        let server = fixture.server()
        try await fixture.delete([record], on: server)
        try await fixture.blobs.remove(record.key)
        await expectFailure(.fileNotFound) { try await trash(server).restore(record.id, as: fixture.master) }
        #expect(fixture.store.count(of: .trash) == 1)
    }

    @Test("guests and users have no part in the trash")
    func callers() async throws {
        let trash = trash(fixture.server())
        let guest = fixture.uploads.people.guest
        let id = ObjectIDGenerator().next()
        await expectFailure(.masterKeyRequired) { try await trash.restore(id, as: guest) }
        await expectFailure(.masterKeyRequired) { try await trash.remove(id, as: guest) }
        await expectFailure(.masterKeyRequired) { try await trash.empty(because: nil, before: nil, as: guest) }
        await expectFailure(.masterKeyRequired) {
            try await trash.entries(because: nil, limit: 1, cursor: nil, as: guest)
        }
    }
}
