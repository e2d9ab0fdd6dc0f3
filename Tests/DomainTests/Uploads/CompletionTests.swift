import Logging
import NIOCore
import Support
import Testing

@testable import Domain

/// Uploads that have all their bytes, and whose end was cut off.
@Suite struct CompletionTests {
    private let fixture: UploadFixture
    private let service: UploadService
    private let logger: Logger

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        logger = quiet
    }

    private func offset(_ token: UploadToken, on service: UploadService) async throws -> Int64? {
        try await service.using(token) { try await $0.settledOffset() }
    }

    /// An upload as a server leaves it that is killed between its last part and its end.
    private func left(
        _ kind: StoredUpload.Kind = .file,
        _ limits: UploadLimits = UploadLimits(),
        finishingOnLastByte: Bool = true,
        as caller: Caller? = nil
    ) async throws -> (upload: StoredUpload, token: UploadToken) {
        let dying = fixture.service(limits)
        let (upload, token) = try await fixture.begin(
            on: dying,
            size: 3,
            kind: kind,
            finishingOnLastByte: finishingOnLastByte,
            as: caller
        )
        try await fixture.write("abc", to: fixture.staging.stage(as: upload.id))
        try await dying.records.change(upload.id, within: nil) { $0.isStarted = true }
        _ = try await dying.records.save(
            PartLayout.Part(offset: 0, size: 3, tag: ""),
            1,
            id: nil,
            unit: 3,
            of: upload.id,
            received: 3,
            within: limits
        )
        return (upload, token)
    }

    @Test("a client that asks how far it is after a kill is told of all bytes once there is the file")
    func asked() async throws {
        let (upload, token) = try await left()
        #expect(try await offset(token, on: service) == 3)
        #expect(try await fixture.text(of: upload.key) == "abc")
        #expect(try await service.using(token) { $0.stored.isFinished })
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.usage() == Usage(bytes: 3, files: 1))
    }

    @Test("a server that starts finishes what another one left, also without a request")
    func unasked() async throws {
        let (upload, _) = try await left()
        try await service.recover(logger)
        await service.finishRecovered()
        #expect(try await fixture.text(of: upload.key) == "abc")
        #expect(fixture.store.count(of: .file) == 1)
        #expect(fixture.staging.count == 0)
    }

    @Test("a piece that was left becomes part of a file")
    func piece() async throws {
        let (_, token) = try await left(.partial)
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, kind: .final("final;a"), size: nil)
        let (final, _) = try await service.concatenate(announcement, of: [token], as: fixture.people.guest)
        #expect(try await fixture.text(of: final.key) == "abc")
    }

    @Test("a piece that was left is ready once a client asks for its offset")
    func askedPiece() async throws {
        let (_, token) = try await left(.partial)
        #expect(try await offset(token, on: service) == 3)
        #expect(try await service.using(token) { $0.stored.isFinished })
    }

    @Test("what was to be made of pieces is gone after a restart, its pieces are not")
    func final() async throws {
        let (_, piece) = try await left(.partial)
        let (_, token) = try await fixture.begin(on: service, kind: .final("final;a"), finishingOnLastByte: true)
        let next = fixture.service()
        try await next.recover(logger)
        #expect(try await next.knows(token) == false)
        #expect(try await next.knows(piece))
    }

    @Test("an upload that its client ends by a request of its own waits for that")
    func otherDialect() async throws {
        let (_, token) = try await left(finishingOnLastByte: false)
        try await service.recover(logger)
        await service.finishRecovered()
        #expect(fixture.store.count(of: .file) == 0)
        #expect(try await service.knows(token))
    }

    @Test("an upload that cannot be finished now says so instead of that it is whole, and is finished later")
    func passing() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 3, finishingOnLastByte: true)
        fixture.blobs.failPuts(ServiceError(.storageFull, "Full."))
        await expectFailure(.storageFull) { try await service.append("abc", at: 0, token) }
        await expectFailure(.storageFull) { try await offset(token, on: service) }
        // The operator reads of it in the log.
        await expectFailure(.storageFull) { try await service.sweep() }
        #expect(fixture.store.count(of: .file) == 0)
        fixture.blobs.failPuts(nil)
        #expect(try await offset(token, on: service) == 3)
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    @Test("an upload that could not be finished is tried again without its client")
    func retried() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 3, finishingOnLastByte: true)
        fixture.blobs.failPuts(ServiceError(.storageFull, "Full."))
        await expectFailure(.storageFull) { try await service.append("abc", at: 0, token) }
        fixture.blobs.failPuts(nil)
        _ = try await service.sweep()
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    @Test("bytes that are refused for good end the upload, before a kill and after")
    func refused() async throws {
        let images = UploadLimits(types: try #require(TypePolicy("image/*")))
        let strict = fixture.service(images)
        let token = try await fixture.token(on: strict, size: 3)
        await expectFailure(.forbidden) { try await strict.append("abc", at: 0, token) }
        await expectFailure(.uploadNotFound) { try await offset(token, on: strict) }
        let (_, other) = try await left()
        await expectFailure(.forbidden) { try await offset(other, on: strict) }
        await expectFailure(.uploadNotFound) { try await offset(other, on: strict) }
        #expect(fixture.store.count(of: .upload) == 0)
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.usage() == Usage())
    }

    @Test("a caller who may make no files any more is told so, and their upload waits")
    func forbidden() async throws {
        let (upload, token) = try await left()
        try await fixture.allowCreating("")
        await expectFailure(.forbidden) { try await offset(token, on: service) }
        try await fixture.allowCreating(#""everyone""#)
        #expect(try await offset(token, on: service) == 3)
        #expect(try await fixture.text(of: upload.key) == "abc")
    }
}
