import Support
import Testing

@testable import Domain

/// Which announced uploads a server keeps in memory: those are known without their rows, which these tests remove.
@Suite struct AnnouncedUploadTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    private func removeRows() async throws {
        try await fixture.store.write { writer in
            _ = try writer.delete(try writer.rows(ObjectQuery(.upload, page: .all)).map(\.id), in: .upload)
        }
    }

    @Test("an upload is known from its announcement on, by a server that was started later from its row")
    func announced() async throws {
        let token = try await fixture.token(on: service)
        let later = fixture.service()
        #expect(try await later.knows(token))
        try await removeRows()
        #expect(try await service.knows(token))
        #expect(try await fixture.service().knows(token) == false)
    }

    @Test("an announced upload expires like any other")
    func expired() async throws {
        let token = try await fixture.token(on: service)
        fixture.clock.pass(seconds: UploadLimits().startTimeout + 1)
        #expect(try await service.knows(token) == false)
    }

    @Test("an upload with a given id, which can be given again, is known by its row only")
    func given() async throws {
        var description = UploadDescription(name: try FileName("a.txt", limit: 255))
        description.systemFields = ["objectId": .string("given1")]
        let (_, token) = try await service.announce(
            UploadAnnouncement(description, size: nil),
            as: fixture.people.master
        )
        try await removeRows()
        #expect(try await service.knows(token) == false)
    }

    @Test("a piece of a file, which another upload can take, is known by its row only")
    func partial() async throws {
        let token = try await fixture.token(on: service, size: 3, kind: .partial)
        try await removeRows()
        #expect(try await service.knows(token) == false)
    }

    @Test("announced uploads without a request are forgotten first, and displace none that a request has used")
    func many() async throws {
        let used = try await fixture.token(on: service)
        #expect(try await service.knows(used))
        let first = try await fixture.token(on: service)
        var last = first
        for _ in 0..<2 * ActiveUploads.newCount {
            last = try await fixture.token(on: service, as: fixture.people.master)
        }
        #expect(service.active.all.count == ActiveUploads.newCount + 1)
        try await removeRows()
        #expect(try await service.knows(used))
        #expect(try await service.knows(last))
        #expect(try await service.knows(first) == false)
    }

    @Test(
        "a large description stays in memory neither after its announcement nor after a request, its upload does",
        arguments: [(900, true, true), (1100, false, true), (8100, false, true), (8300, false, false)]
    )
    func large(_ size: Int, isKept: Bool, isCached: Bool) async throws {
        let announced = try await fixture.token(on: service, metaData: ["text": text(size)])
        #expect(service.active.all.count == (isKept ? 1 : 0))
        try await service.using(announced) { #expect($0.stored.description.metaData == ["text": text(size)]) }
        try await removeRows()
        #expect(try await service.knows(announced))
        #expect(try await service.progress(announced).state == "waiting")
        if isCached {
            try await service.using(announced) { _ in }
        } else {
            await expectFailure(.uploadNotFound) { try await service.using(announced) { _ in } }
        }
    }

    private func text(_ size: Int) -> JSONValue { .string(String(repeating: "a", count: size)) }

    @Test("requests of one upload share it, also with a large description")
    func shared() async throws {
        let token = try await fixture.token(on: service, metaData: ["text": text(9000)])
        try await service.using(token) { first in
            try await service.using(token) { #expect(first.active === $0.active) }
            // It stays until the last of them has ended.
            #expect(first.stored.description.metaData == ["text": text(9000)])
        }
    }
}
