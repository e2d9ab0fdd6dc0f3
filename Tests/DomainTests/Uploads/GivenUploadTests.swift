import Support
import Testing

@testable import Domain

/// Uploads whose id the master key gives again after the first one's commit failed and stayed undecided.
@Suite struct GivenUploadTests {
    private let id = "given1"

    private func announce(on service: UploadService, as guest: Caller) async throws -> (StoredUpload, UploadToken) {
        var description = UploadDescription(name: try FileName("a.txt", limit: 255))
        description.systemFields = ["objectId": .string(id)]
        var announcement = UploadAnnouncement(description, size: 3)
        announcement.finishesOnLastByte = true
        return try await service.announce(announcement, as: Caller(app: guest.app, isMaster: true))
    }

    /// Sends all bytes of an upload whose blob is put, neither answered nor undone.
    private func leaveUndecided(
        _ token: UploadToken,
        on service: UploadService,
        _ blobs: MemoryBlobStore
    ) async throws {
        blobs.failPuts(StorageFault.failing.error(), afterStoring: true)
        blobs.failUndos(StorageFault.failing.error())
        await expectRefusal(.storageFailing) { try await service.append("abc", at: 0, token) }
        blobs.failPuts(nil)
        blobs.failUndos(nil)
        #expect(blobs.count == 1)
    }

    @Test("the next upload has none of its bytes, and its blob is removed")
    func alone() async throws {
        let fixture = try UploadFixture()
        let service = fixture.service()
        let (first, token) = try await announce(on: service, as: fixture.people.guest)
        try await leaveUndecided(token, on: service, fixture.blobs)
        let (second, next) = try await announce(on: service, as: fixture.people.guest)
        #expect(second.key != first.key && second.id == first.id)
        #expect(fixture.blobs.count == 0)
        _ = try await service.append("def", at: 0, next)
        #expect(try await fixture.text(of: second.key) == "def")
        #expect(fixture.blobs.count == 1)
        #expect(fixture.staging.count == 0)
    }

    @Test("a decision that fails is that of the next upload, whose repetition succeeds")
    func stuck() async throws {
        let fixture = try UploadFixture()
        let service = fixture.service()
        let (_, token) = try await announce(on: service, as: fixture.people.guest)
        try await leaveUndecided(token, on: service, fixture.blobs)
        fixture.blobs.failUndos(StorageFault.failing.error())
        await expectRefusal(.storageFailing) { try await announce(on: service, as: fixture.people.guest) }
        fixture.blobs.failUndos(nil)
        let (second, next) = try await announce(on: service, as: fixture.people.guest)
        _ = try await service.append("def", at: 0, next)
        #expect(try await fixture.text(of: second.key) == "def")
        #expect(fixture.blobs.count == 1)
    }

    @Test(
        "with several servers, the blob is removed whichever of them announces and ends the next one",
        arguments: 1...2
    )
    func shared(announcing: Int) async throws {
        for ending in 1...2 {
            let fixture = try SharedUploadFixture()
            let servers = [1, 2].map { fixture.server($0) }
            let (first, token) = try await announce(on: servers[0], as: fixture.people.guest)
            try await leaveUndecided(token, on: servers[0], fixture.blobs)
            let (second, next) = try await announce(on: servers[announcing - 1], as: fixture.people.guest)
            _ = try await servers[ending - 1].append("def", at: 0, next)
            #expect(try await fixture.text(of: second.key) == "def")
            try await fixture.sweep(servers)
            #expect(try await fixture.text(of: first.key) == nil)
            #expect(fixture.blobs.count == 1)
            fixture.expectNothingStaged()
        }
    }
}
