import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads made of others.
@Suite struct JoinedUploadTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    private func partial(_ text: String, of size: Int64? = nil) async throws -> UploadToken {
        let size = size ?? Int64(text.utf8.count)
        let token = try await fixture.token(on: service, size: size, kind: .partial)
        _ = try await service.append(text, at: 0, token)
        return token
    }

    private func join(
        _ tokens: [UploadToken],
        metaData: [String: JSONValue] = [:]
    ) async throws -> StoredUpload {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255), metaData: metaData)
        let announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        return try await service.concatenate(announcement, of: tokens, as: fixture.people.guest).upload
    }

    @Test("a partial upload is whole without being a file")
    func noFile() async throws {
        let token = try await partial("abc")
        let upload = try await service.using(token) { $0.upload }
        #expect(upload.isFinished)
        #expect(fixture.store.count(of: .file) == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("a partial upload takes no bytes but those of tus")
    func otherDialects() async throws {
        let token = try await fixture.token(on: service, kind: .partial)
        await expectRefusal(.uploadConflict) { try await service.put("abc", token) }
        await expectRefusal(.uploadConflict) { try await service.part(1, "abc", token) }
        await expectRefusal(.uploadConflict) { try await service.beginBlock(of: 3, "abc", token) }
        #expect(fixture.blobs.staged == 0)
    }

    @Test("partial uploads make a file in the order of the list, and are gone", arguments: [[0, 1, 2], [2, 0, 1]])
    func order(indexes: [Int]) async throws {
        let texts = ["abc", "", "defg"]
        var tokens: [UploadToken] = []
        for text in texts { tokens.append(try await partial(text)) }
        let upload = try await join(indexes.map { tokens[$0] })
        #expect(upload.isFinished)
        #expect(upload.size == 7)
        #expect(try await fixture.text(of: upload.key) == indexes.map { texts[$0] }.joined())
        for token in tokens { #expect(try await service.knows(token) == false) }
        #expect(fixture.store.count(of: .upload) == 1)
        #expect(fixture.store.count(of: .uploadPart) == 0)
        #expect(fixture.blobs.staged == 0)
    }

    @Test("partial uploads are joined after the server was started again")
    func restart() async throws {
        let tokens = [try await partial("abc"), try await partial("def")]
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        let (upload, _) = try await fixture.service().concatenate(announcement, of: tokens, as: fixture.people.guest)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        #expect(fixture.blobs.staged == 0)
    }

    @Test("what is no finished partial upload makes no file, and nothing is lost")
    func wrongPieces() async throws {
        let whole = try await partial("abc")
        let unfinished = try await partial("de", of: 3)
        let file = try await fixture.token(on: service, size: 3)
        _ = try await service.append("def", at: 0, file)
        let uploads = fixture.store.count(of: .upload)
        for other in [unfinished, file, UploadToken()] {
            await expectRefusal(.badRequest) { try await join([whole, other]) }
        }
        #expect(fixture.store.count(of: .upload) == uploads)
        #expect(fixture.store.count(of: .file) == 1)
        let upload = try await join([whole])
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    @Test("a file that is refused leaves the partial uploads for another attempt")
    func refused() async throws {
        let tokens = [try await partial("abc"), try await partial("def")]
        await expectRefusal(.checksumMismatch) { try await join(tokens, metaData: ["_checksum": .string("0")]) }
        #expect(fixture.store.count(of: .upload) == 2)
        #expect(fixture.blobs.count == 0)
        let upload = try await join(tokens)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
    }
}
