import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads made of others.
@Suite struct ConcatenationTests {
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

    private func concatenate(
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
        let upload = try await service.using(token) { $0.stored }
        #expect(upload.isFinished)
        #expect(fixture.store.count(of: .file) == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("a partial upload takes no bytes but those of tus")
    func otherDialects() async throws {
        let token = try await fixture.token(on: service, kind: .partial)
        await expectFailure(.uploadConflict) { try await service.put("abc", token) }
        await expectFailure(.uploadConflict) { try await service.part(1, "abc", token) }
        await expectFailure(.uploadConflict) { try await service.beginBlock(of: 3, "abc", token) }
        #expect(fixture.staging.count == 0)
    }

    @Test("partial uploads make a file in the order of the list, and are gone", arguments: [[0, 1, 2], [2, 0, 1]])
    func order(indexes: [Int]) async throws {
        let texts = ["abc", "", "defg"]
        var tokens: [UploadToken] = []
        for text in texts { tokens.append(try await partial(text)) }
        let upload = try await concatenate(indexes.map { tokens[$0] })
        #expect(upload.isFinished)
        #expect(upload.size == 7)
        #expect(try await fixture.text(of: upload.key) == indexes.map { texts[$0] }.joined())
        for token in tokens { #expect(try await service.knows(token) == false) }
        #expect(fixture.store.count(of: .upload) == 1)
        #expect(fixture.store.count(of: .uploadPart) == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("partial uploads are joined after the server was started again")
    func restart() async throws {
        let tokens = [try await partial("abc"), try await partial("def")]
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        let (upload, _) = try await fixture.service().concatenate(announcement, of: tokens, as: fixture.people.guest)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        #expect(fixture.staging.count == 0)
    }

    @Test("what is no finished partial upload makes no file, and nothing is lost")
    func wrongPieces() async throws {
        let whole = try await partial("abc")
        let file = try await fixture.token(on: service, size: 3)
        _ = try await service.append("def", at: 0, file)
        let uploads = fixture.store.count(of: .upload)
        for other in [file, UploadToken()] {
            await expectFailure(.badRequest) { try await concatenate([whole, other]) }
        }
        #expect(fixture.store.count(of: .upload) == uploads)
        #expect(fixture.store.count(of: .file) == 1)
        let upload = try await concatenate([whole])
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    /// Whether an upload finished; nil if it is gone.
    private func isFinished(_ token: UploadToken, on other: UploadService? = nil) async throws -> Bool? {
        do {
            return try await (other ?? service).using(token) { upload in
                _ = try await upload.settledOffset()
                return upload.stored.isFinished
            }
        } catch let error as ServiceError where error.code == .uploadNotFound {
            return nil
        }
    }

    private func announcement(_ metaData: [String: JSONValue] = [:]) throws -> UploadAnnouncement {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255), metaData: metaData)
        var announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        announcement.finishesOnLastByte = true
        return announcement
    }

    /// A final upload whose second piece lacks its last byte.
    private func waiting(
        on other: UploadService? = nil,
        _ metaData: [String: JSONValue] = [:],
        size: Int64 = 3
    ) async throws -> (final: UploadToken, upload: StoredUpload, pieces: [UploadToken]) {
        let pieces = [try await partial("abc"), try await partial("de", of: size)]
        let announced = try announcement(metaData)
        let caller = fixture.people.guest
        let (upload, final) = try await (other ?? service).concatenate(announced, of: pieces, as: caller)
        return (final, upload, pieces)
    }

    @Test("a final upload waits for its pieces, and is finished with the last one")
    func waits() async throws {
        let (final, upload, pieces) = try await waiting()
        #expect(upload.isWaiting)
        #expect(try await isFinished(final) == false)
        #expect(try await service.using(final) { try await $0.settledOffset() } == nil)
        #expect(try await fixture.usage() == Usage(announced: 6, uploads: 3))
        _ = try await service.append("f", at: 2, pieces[1])
        // No client requested it in between.
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        #expect(try await isFinished(final) == true)
        for piece in pieces { #expect(try await service.knows(piece) == false) }
        #expect(try await fixture.usage() == Usage(bytes: 6, files: 1))
        #expect(fixture.store.count(of: .upload) == 1)
        #expect(fixture.store.count(of: .uploadPart) == 0)
        #expect(fixture.staging.count == 0)
    }

    @Test("a final upload that waits survives a restart, before its last piece and behind it")
    func waitsAcrossRestarts() async throws {
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let (final, upload, pieces) = try await waiting()
        let second = fixture.service()
        try await second.recover(quiet)
        await second.finishRecovered()
        #expect(try await isFinished(final, on: second) == false)
        _ = try await second.append("f", at: 2, pieces[1])
        #expect(try await fixture.text(of: upload.key) == "abcdef")

        // Its pieces are finished, and the file could not be made before the server was stopped.
        let (other, otherUpload, otherPieces) = try await waiting(on: second)
        fixture.blobs.failPuts(ServiceError(.storageFull, "Full."))
        #expect(try await second.append("f", at: 2, otherPieces[1]) == 3)
        await expectFailure(.storageFull) { try await isFinished(other, on: second) }
        fixture.blobs.failPuts(nil)
        let third = fixture.service()
        try await third.recover(quiet)
        await third.finishRecovered()
        #expect(try await isFinished(other, on: third) == true)
        #expect(try await fixture.text(of: otherUpload.key) == "abcdef")
    }

    @Test("a final upload ends with any of its pieces")
    func endsWithPieces() async throws {
        let (final, _, pieces) = try await waiting()
        let watched = try await service.using(final) { $0.active }
        try await service.cancel(pieces[0])
        let isEnded = watched.with(\.isEnded)
        #expect(isEnded)
        #expect(try await service.knows(final) == false)
        #expect(try await service.knows(pieces[1]))
        #expect(try await fixture.usage() == Usage(announced: 3, uploads: 1))
        _ = try await service.append("f", at: 2, pieces[1])
        #expect(fixture.store.count(of: .file) == 0)
        let (expiring, _, _) = try await waiting()
        fixture.clock.pass(seconds: 700_000)
        _ = try await service.sweep()
        #expect(try await service.knows(expiring) == false)
        #expect(fixture.store.count(of: .upload) == 0)
        #expect(try await fixture.usage() == Usage())
    }

    @Test("a final upload that is given up leaves its pieces")
    func givenUp() async throws {
        let (final, _, pieces) = try await waiting()
        try await service.cancel(final)
        _ = try await service.append("f", at: 2, pieces[1])
        #expect(fixture.store.count(of: .file) == 0)
        let upload = try await concatenate(pieces)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        #expect(try await fixture.usage() == Usage(bytes: 6, files: 1))
    }

    @Test("pieces belong to the final upload that named them last", arguments: [false, true])
    func renamed(isFinished wasFinished: Bool) async throws {
        let (first, _, pieces) = try await waiting()
        let named = wasFinished ? [pieces[0]] : pieces
        let (upload, second) = try await service.concatenate(announcement(), of: named, as: fixture.people.guest)
        #expect(try await service.knows(first) == false)
        #expect(upload.isFinished == wasFinished)
        if !wasFinished { _ = try await service.append("f", at: 2, pieces[1]) }
        #expect(try await isFinished(second) == true)
        #expect(try await fixture.text(of: upload.key) == (wasFinished ? "abc" : "abcdef"))
        #expect(fixture.store.count(of: .file) == 1)
        #expect(try await fixture.usage().uploads == (wasFinished ? 1 : 0))
    }

    @Test("a final upload that is refused for good is gone, and its pieces stay for another attempt")
    func waitingRefused() async throws {
        let (final, _, pieces) = try await waiting(["_checksum": .string("0")])
        // The piece itself is taken.
        #expect(try await service.append("f", at: 2, pieces[1]) == 3)
        #expect(try await service.knows(final) == false)
        #expect(fixture.blobs.count == 0)
        let upload = try await concatenate(pieces)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
    }

    @Test("a final upload that cannot be finished now says so, and is finished later")
    func waitingDelayed() async throws {
        let (final, upload, pieces) = try await waiting()
        try await fixture.allowCreating("")
        _ = try? await service.append("f", at: 2, pieces[1])
        try await fixture.allowCreating(#""everyone""#)
        _ = try await service.sweep()
        #expect(try await isFinished(final) == true)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
    }

    @Test("pieces of which a file would be too large are refused before they are finished")
    func tooLarge() async throws {
        let service = fixture.service(UploadLimits(fileSize: 5))
        await expectFailure(.payloadTooLarge) { try await waiting(on: service) }
        #expect(fixture.store.count(of: .upload) == 2)
    }

    @Test("a copy has one piece open at a time")
    func openPieces() async throws {
        let upload = try await concatenate([try await partial("abc"), try await partial("de"), try await partial("f")])
        #expect(try await fixture.text(of: upload.key) == "abcdef")
        #expect(fixture.staging.mostOpen == 1)
    }

    @Test("a piece that is deleted before the copy reaches it ends the final upload")
    func deletedWhileCopied() async throws {
        let pieces = [try await partial("abc"), try await partial("def")]
        fixture.staging.beforeNextDraft { [service] in try await service.cancel(pieces[0]) }
        await expectFailure(.badRequest) { try await concatenate([pieces[1], pieces[0], pieces[1]]) }
        #expect(fixture.store.count(of: .file) == 0)
        #expect(try await service.knows(pieces[1]))
        #expect(fixture.store.count(of: .upload) == 1)
    }

    @Test("a file that is refused leaves the partial uploads for another attempt")
    func refused() async throws {
        let tokens = [try await partial("abc"), try await partial("def")]
        await expectFailure(.checksumMismatch) { try await concatenate(tokens, metaData: ["_checksum": .string("0")]) }
        #expect(fixture.store.count(of: .upload) == 2)
        #expect(fixture.blobs.count == 0)
        let upload = try await concatenate(tokens)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
    }
}
