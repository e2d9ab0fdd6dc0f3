import Support
import Testing

@testable import Domain

/// Copies of staged bytes for files that are refused: small requests must not repeat them without end.
@Suite struct RefusedCopyTests {
    private let fixture: UploadFixture
    private let service: UploadService
    /// A checksum that no bytes have.
    private let wrong = ["_checksum": JSONValue.string("0")]

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

    private func announcement(_ metaData: [String: JSONValue] = [:]) throws -> UploadAnnouncement {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255), metaData: metaData)
        var announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        announcement.finishesOnLastByte = true
        return announcement
    }

    @Test(
        "the third copy of a piece for a file that is refused for good removes the piece",
        arguments: [(1, 3), (2, 2), (3, 1)]
    )
    func pieces(names: Int, refusals: Int) async throws {
        let piece = try await partial("abc")
        for _ in 1...refusals {
            #expect(try await service.knows(piece))
            await expectFailure(.checksumMismatch) {
                let pieces = Array(repeating: piece, count: names)
                return try await service.concatenate(announcement(wrong), of: pieces, as: fixture.people.guest)
            }
        }
        #expect(try await service.knows(piece) == false)
        #expect(try await fixture.usage() == Usage())
        #expect(fixture.staging.count == 0)
    }

    @Test("the third copy of a piece for refused files that waited removes the piece")
    func waitingPieces() async throws {
        let pieces = [try await partial("abc"), try await partial("de", of: 3)]
        let announced = try announcement(wrong)
        let named = [pieces[0], pieces[0], pieces[0], pieces[1]]
        let (_, token) = try await service.concatenate(announced, of: named, as: fixture.people.guest)
        #expect(try await service.append("f", at: 2, pieces[1]) == 3)
        #expect(try await service.knows(token) == false)
        #expect(try await service.knows(pieces[0]) == false)
        #expect(try await service.knows(pieces[1]))
    }

    @Test("of two final uploads that wait to copy the same piece, only one copies it", arguments: [true, false])
    func queue(isRefused: Bool) async throws {
        let piece = try await partial("abc")
        let (begun, mayEnd) = (Gate(), Gate())
        let guest = fixture.people.guest
        let before = Task { [service] in
            try await service.copyPermits.copying(for: guest) {
                begun.open()
                await mayEnd.wait()
            }
        }
        await begun.wait()
        let announced = try announcement(isRefused ? wrong : [:])
        let named = [piece, piece, piece]
        let finals = (1...2).map { _ in
            Task { [service] in _ = try await service.concatenate(announced, of: named, as: guest) }
        }
        try await eventually { service.copyPermits.waitingCount == 2 }
        mayEnd.open()
        try await before.value
        for final in finals { _ = await final.result }
        #expect(fixture.staging.draftCount == 1)
        #expect(fixture.store.count(of: .file) == (isRefused ? 0 : 1))
    }

    @Test("a piece is not copied again while the file of its copy is being stored")
    func claimed() async throws {
        let (upload, token) = try await fixture.begin(on: service, size: 3, kind: .partial)
        _ = try await service.append("abc", at: 0, token)
        try service.pieceClaims.claim([upload.id])
        await expectFailure(.overloaded) {
            try await service.concatenate(announcement(), of: [token], as: fixture.people.guest)
        }
        #expect(fixture.staging.draftCount == 0)
        service.pieceClaims.release([upload.id])
        let (final, _) = try await service.concatenate(announcement(), of: [token], as: fixture.people.guest)
        #expect(try await fixture.text(of: final.key) == "abc")
    }

    @Test("a sweep does not wait for a permit to copy, and the next one creates the file")
    func sweep() async throws {
        let piece = try await partial("ab", of: 3)
        let guest = fixture.people.guest
        let (upload, _) = try await service.concatenate(announcement(), of: [piece], as: guest)
        try await fixture.allowCreating("")
        _ = try? await service.append("c", at: 2, piece)
        try await fixture.allowCreating(#""everyone""#)
        let (begun, mayEnd) = (Gate(), Gate())
        let copy = Task { [service] in
            try await service.copyPermits.copying(for: guest) {
                begun.open()
                await mayEnd.wait()
            }
        }
        await begun.wait()
        let done = Counter()
        let sweep = Task { [service] in
            _ = try await service.sweep()
            _ = done.next()
        }
        try await eventually { done.value == 1 || service.copyPermits.waitingCount == 1 }
        #expect(done.value == 1)
        mayEnd.open()
        try await copy.value
        try await sweep.value
        _ = try await service.sweep()
        #expect(try await fixture.text(of: upload.key) == "abc")
    }

    @Test("a file beyond the quota is refused before its pieces are read")
    func pieceQuota() async throws {
        let piece = try await partial("abcdef")
        let limited = fixture.service(UploadLimits(quota: 11))
        // With its bytes, the wrong checksum would be the first refusal.
        let announced = try announcement(wrong)
        await expectFailure(.quotaExceeded) {
            try await limited.concatenate(announced, of: [piece, piece], as: fixture.people.guest)
        }
        #expect(try await limited.knows(piece))
    }

    @Test("the bytes of pieces count once for the quota")
    func exactPieceQuota() async throws {
        let piece = try await partial("abcdef")
        let limited = fixture.service(UploadLimits(quota: 6))
        let (upload, _) = try await limited.concatenate(announcement(), of: [piece], as: fixture.people.guest)
        #expect(try await fixture.text(of: upload.key) == "abcdef")
    }

    @Test("the third refusal because of the bytes removes the upload and its parts", arguments: [[1, 2], [2, 1]])
    func parts(order: [Int]) async throws {
        let token = try await fixture.token(on: service, metaData: wrong)
        let claims = try await service.send(order.map { ($0, "aaaa") }, token)
        for _ in 1...3 {
            #expect(try await service.knows(token))
            await expectFailure(.checksumMismatch) { try await service.finish(claims, token) }
        }
        #expect(try await service.knows(token) == false)
        #expect(try await fixture.usage() == Usage())
        #expect(fixture.staging.count == 0)
    }

    @Test("lists that do not fit do not count as refusals because of the bytes")
    func wrongLists() async throws {
        let token = try await fixture.token(on: service, size: 8)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        for _ in 1...4 { await expectFailure(.badRequest) { try await service.finish([claims[0]], token) } }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
    }

    @Test("the bytes of parts without an announced size count once for the quota", arguments: [[1, 2], [2, 1]])
    func partQuota(order: [Int]) async throws {
        let service = fixture.service(UploadLimits(quota: 8, partSize: 4))
        let token = try await fixture.token(on: service)
        let claims = try await service.send(order.map { ($0, "aaaa") }, token)
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaaaaaa")
    }
}
