import NIOCore
import Support
import Testing

@testable import Domain

/// Parts of an upload whose commit stayed undecided and made no file, unless a kill brings its record back.
@Suite struct UndecidedPartTests {
    private let fixture: UploadFixture

    init() throws {
        fixture = try UploadFixture()
    }

    @Test(
        "a part after a commit that stayed undecided goes into no blob, and no kill brings the file back",
        arguments: [false, true]
    )
    func partAfterUndecided(isForgotten: Bool) async throws {
        let (store, service, token, claims) = try await leaveUndecided(failing: 2)
        // The upload can have left the memory of the server.
        let next = isForgotten ? fixture.service(through: store) : service
        let receipt = try await next.using(token) { upload in
            try await upload.receivePart(2, size: 4, expecting: [:]) { [fixture] sink in
                await store.recover()
                #expect(fixture.blobs.count == 0)
                #expect(fixture.store.count(of: .file) == 0)
                try await sink.append(ByteBuffer(string: "cccc"))
            }
        }
        let record = try await next.finish([claims[0], (2, receipt.tag)], token)
        #expect(try await fixture.text(of: record.key) == "aaaacccc")
        #expect(fixture.staging.count == 0)
    }

    @Test("no part is received while it is unknown whether the file exists")
    func partWhileUnknown() async throws {
        let (_, service, token, claims) = try await leaveUndecided(failing: 3)
        await expectFailure(.storageFailing) {
            try await service.using(token) { upload in
                try await upload.receivePart(2, size: 4, expecting: [:]) { _ in Issue.record("The body was read.") }
            }
        }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
    }

    @Test("a part after a put that could not be undone goes into no blob")
    func partAfterStuckPut() async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        fixture.blobs.failPuts(StorageFault.failing.error(), afterStoring: true)
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectFailure(.storageFailing) { try await service.finish(claims, token) }
        fixture.blobs.failPuts(nil)
        fixture.blobs.failUndos(nil)
        try await service.using(token) { upload in
            _ = try await upload.receivePart(3, size: 1, expecting: [:]) { [fixture] sink in
                #expect(fixture.blobs.count == 0)
                try await sink.append(ByteBuffer(string: "c"))
            }
        }
    }

    /// Sends two parts, whose end fails because a number of writes does: none has an effect before a kill.
    private func leaveUndecided(
        failing count: Int
    ) async throws -> (RecoveringStore, UploadService, UploadToken, [(number: Int, tag: String)]) {
        let store = RecoveringStore(fixture.store)
        let service = fixture.service(through: store)
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        store.failWrites(count)
        await expectFailure(.storageFailing) { try await service.finish(claims, token) }
        #expect(fixture.blobs.count == 1)
        return (store, service, token, claims)
    }
}
