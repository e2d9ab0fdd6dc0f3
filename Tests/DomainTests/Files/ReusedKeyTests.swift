import NIOCore
import Support
import Testing

@testable import Domain

/// Files under keys whose former files are deleted: nobody removes their bytes.
@Suite struct ReusedKeyTests {
    private let fixture: DeletionFixture

    init() throws {
        fixture = try DeletionFixture()
    }

    @Test("a key is free for a new file right behind the deletion, and the new bytes stay, also after a restart")
    func reused() async throws {
        let server = fixture.server()
        let first = try await fixture.upload("first", as: "logo.png", on: server)
        try await fixture.delete([first], on: server)
        let second = try await fixture.upload("second", as: "logo.png", on: server)
        #expect(second.key == first.key)
        #expect(fixture.store.count(of: .deletion) == 0)
        #expect(await server.deletions.drain())
        #expect(try await fixture.uploads.text(of: second.key) == "second")
        #expect(await fixture.server().deletions.drain())
        #expect(try await fixture.uploads.text(of: second.key) == "second")
    }

    @Test("while the former bytes cannot be removed the key is refused, and the upload stays until it can be finished")
    func stuck() async throws {
        let server = fixture.server()
        let first = try await fixture.upload("first", as: "logo.png", on: server)
        fixture.blobs.failRemovals(of: first.key, times: 2)
        try await fixture.delete([first], on: server)
        #expect(await server.deletions.drain() == false)
        let token = try await fixture.announce("logo.png", on: server)
        await expectFailure(.storageFailing) { try await server.uploads.put("second", token) }
        #expect(try await server.uploads.knows(token))
        #expect(fixture.store.count(of: .file) == 0)
        let second = try await server.uploads.put("second", token)
        for server in [server, fixture.server()] {
            server.deletions.startOver()
            #expect(await server.deletions.drain())
            #expect(try await fixture.uploads.text(of: second.key) == "second")
        }
    }

    @Test("a worker and an upload that meet at one key leave the new file whole")
    func race() async throws {
        let server = fixture.server()
        let worker = Task { await server.deletions.run { _ in } }
        for round in 0..<30 {
            let old = try await fixture.upload("old", as: "logo.png", on: server)
            let token = try await announceBehindDeletion(of: old, on: server)
            let new = try await server.uploads.put("new \(round)", token)
            #expect(try await fixture.uploads.text(of: new.key) == "new \(round)")
            let file = try #require(try await server.files.find(new.key))
            let blob = try await server.files.openShared(file)
            #expect(try await blob.read(at: 0, count: 9) == ByteBuffer(string: "new \(round)"))
            try await fixture.delete([new], on: server)
        }
        worker.cancel()
        await worker.value
        #expect(await server.deletions.drain())
        #expect(fixture.counts == [0, 0, 0, 0])
    }

    private func announceBehindDeletion(
        of file: FileRecord,
        on server: DeletionFixture.Server
    ) async throws -> UploadToken {
        try await fixture.delete([file], on: server)
        return try await fixture.announce("logo.png", on: server)
    }

    @Test("a row whose key a record has, or that has no key, removes nothing and is dropped")
    func wrongRow() async throws {
        let record = try await fixture.insert(1)[0]
        let rows: [[String: JSONValue]] = [["key": .string(record.key.description)], [:]]
        try await fixture.store.write { writer in
            for fields in rows {
                let id = ObjectIDGenerator().next()
                try writer.insert(
                    StoredObject(id: id, createdAt: .now(), updatedAt: .now(), fields: fields),
                    into: .deletion
                )
            }
        }
        #expect(await fixture.server().deletions.drain())
        #expect(fixture.counts == [1, 0, 1, 1])
        #expect(fixture.log.all.count == 2)
    }
}
