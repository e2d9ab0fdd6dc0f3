import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads that grow at their end.
@Suite struct AppendTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    private func offset(_ token: UploadToken) async throws -> Int64? {
        try await service.using(token) { try await $0.settledOffset() }
    }

    @Test("bytes appended at the end are the file when all are there")
    func file() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 6)
        let first = try await service.append("abc", at: 0, token)
        #expect(fixture.store.count(of: .file) == 0)
        let second = try await service.append("def", at: 3, token)
        #expect([first, second] == [3, 6])
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        #expect(fixture.staging.count == 0)
        #expect(try await offset(token) == 6)
    }

    @Test("bytes go to the end and nowhere else", arguments: [0, 2, 4] as [Int64])
    func wrongOffset(offset: Int64) async throws {
        let token = try await fixture.token(on: service, size: 6)
        _ = try await service.append("abc", at: 0, token)
        await expectFailure(.uploadConflict) { try await service.append("x", at: offset, token) }
        #expect(try await self.offset(token) == 3)
    }

    @Test("of a body that breaks off what came is kept")
    func broken() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 4)
        await #expect(throws: Broken.self) { try await service.append("ab", at: 0, token, breaking: true) }
        #expect(try await offset(token) == 2)
        _ = try await service.append("cd", at: 2, token)
        #expect(try await fixture.text(of: upload.key) == "abcd")
    }

    @Test("of a body with another checksum nothing is kept")
    func checksum() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 4)
        _ = try await service.append("ab", at: 0, token)
        let wrong = AnnouncedDigest(kind: .crc32, bytes: [0, 0, 0, 0])
        await expectFailure(.checksumMismatch) { try await service.append("xx", at: 2, token, saying: wrong) }
        #expect(try await offset(token) == 2)
        _ = try await service.append("cd", at: 2, token)
        #expect(try await fixture.text(of: upload.key) == "abcd")
    }

    @Test("a body with the checksum announced is kept")
    func rightChecksum() async throws {
        let token = try await fixture.token(on: service, size: 4)
        let crc32 = try #require([UInt8](hexadecimal: "352441c2"))
        let end = try await service.append("abc", at: 0, token, saying: AnnouncedDigest(kind: .crc32, bytes: crc32))
        #expect(end == 3)
    }

    @Test("of a body whose checksum breaks off with it nothing is kept")
    func brokenChecksum() async throws {
        let token = try await fixture.token(on: service, size: 4)
        let digest = AnnouncedDigest(kind: .crc32, bytes: [0, 0, 0, 0])
        await #expect(throws: Broken.self) {
            try await service.append("ab", at: 0, token, saying: digest, breaking: true)
        }
        #expect(try await offset(token) == 0)
    }

    @Test("a body that promised a checksum and brought none is refused")
    func missingChecksum() async throws {
        let token = try await fixture.token(on: service, size: 4)
        await expectFailure(.checksumMismatch) {
            try await service.using(token) { upload in
                try await upload.append(at: 0, announced: nil, digesting: [.sha1]) { sink in
                    try await sink.append(ByteBuffer(string: "ab"))
                    return nil
                }
            }
        }
        #expect(try await offset(token) == 0)
    }

    @Test("of a body that is longer than the rest nothing is kept")
    func tooLong() async throws {
        let token = try await fixture.token(on: service, size: 4)
        _ = try await service.append("abc", at: 0, token)
        await expectFailure(.payloadTooLarge) { try await service.append("de", at: 3, token) }
        #expect(try await offset(token) == 3)
    }

    @Test("a body that announces more than the rest is refused before it is read")
    func tooMuchAnnounced() async throws {
        let token = try await fixture.token(on: service, size: 4)
        await expectFailure(.payloadTooLarge) {
            try await service.using(token) { upload in
                try await upload.append(at: 0, announced: 5, digesting: []) { _ in
                    Issue.record("The body was read.")
                    return nil
                }
            }
        }
    }

    @Test("a newer connection goes on where the older one was stopped")
    func newer() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 4)
        let body = SlowBody("ab", "xx")
        let older = Task { [service] in try await service.append(body, at: 0, token) }
        await body.begun.wait()
        #expect(try await offset(token) == 2)
        _ = try await service.append("cd", at: 2, token)
        await expectFailure(.superseded) { try await older.value }
        #expect(try await fixture.text(of: upload.key) == "abcd")
    }

    @Test("the upload goes on after the server was started again")
    func restart() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 4)
        _ = try await service.append("ab", at: 0, token)
        _ = try await fixture.service().append("cd", at: 2, token)
        #expect(try await fixture.text(of: upload.key) == "abcd")
    }

    @Test("of a long body a crash takes no more than the last 16 MiB")
    func checkpoint() async throws {
        let token = try await fixture.token(on: service)
        let body = SlowBody(String(repeating: "a", count: 16 << 20))
        let sending = Task { [service] in try await service.append(body, at: 0, token) }
        await body.begun.wait()
        let kept = try await fixture.service().using(token) { try await $0.settledOffset() }
        #expect(kept == 16 << 20)
        sending.cancel()
        _ = await sending.result
    }

    @Test("bytes whose sync failed are not acknowledged, and can be sent again")
    func failedSync() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 20 << 20)
        let text = String(repeating: "a", count: 20 << 20)
        fixture.staging.failSync()
        await expectFailure(.storageFailing) { try await service.append(text, at: 0, token) }
        #expect(try await service.using(token) { try await $0.settledOffset() } == 0)
        _ = try await service.append(text, at: 0, token)
        #expect(try await fixture.text(of: upload.key) == text)
    }

    @Test("a size that was left open is said later, and no other one after it")
    func deferred() async throws {
        let (upload, token) = try await fixture.begin(on: service)
        _ = try await service.append("abc", at: 0, token)
        _ = try await service.append("", at: 3, token, sized: 4)
        await expectFailure(.badRequest) { try await service.append("de", at: 3, token, sized: 5) }
        _ = try await service.append("d", at: 3, token, sized: 4)
        #expect(try await fixture.text(of: upload.key) == "abcd")
    }

    @Test("a size that was left open and is what is there ends the upload")
    func deferredEnd() async throws {
        let (upload, token) = try await fixture.begin(on: service)
        _ = try await service.append("abc", at: 0, token)
        _ = try await service.append("", at: 3, token, sized: 3)
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    @Test(
        "a size is not less than what is there and not more than the limit",
        arguments: [(2, .badRequest), (11, .payloadTooLarge)] as [(Int64, ServiceError.Code)]
    )
    func wrongSize(size: Int64, code: ServiceError.Code) async throws {
        let service = fixture.service(UploadLimits(fileSize: 10))
        let token = try await fixture.token(on: service)
        _ = try await service.append("abc", at: 0, token)
        await expectFailure(code) { try await service.append("", at: 3, token, sized: size) }
    }

    @Test("an upload of no bytes ends at once, another does not")
    func finishIfComplete() async throws {
        let (empty, first) = try await fixture.begin(on: service, size: 0)
        let (other, second) = try await fixture.begin(on: service, size: 1)
        for token in [first, second] { try await service.using(token) { try await $0.finishIfComplete() } }
        #expect(try await fixture.text(of: empty.key) == "")
        #expect(try await fixture.text(of: other.key) == nil)
    }

    @Test("nothing is appended behind the end")
    func late() async throws {
        let token = try await fixture.token(on: service, size: 3)
        _ = try await service.append("abc", at: 0, token)
        await expectFailure(.uploadConflict) { try await service.append("x", at: 2, token) }
        let end = try await service.append("", at: 3, token)
        #expect(end == 3)
    }

    @Test("bytes for a finished upload are refused, also if the client did not announce them")
    func bytesAfterEnd() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 3)
        _ = try await service.append("abc", at: 0, token)
        await expectFailure(.payloadTooLarge) { try await service.append("d", at: 3, token) }
        #expect(try await fixture.text(of: upload.key) == "abc")
    }
}
