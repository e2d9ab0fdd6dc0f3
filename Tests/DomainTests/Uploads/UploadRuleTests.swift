import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// What an upload is refused for, when it begins and when it ends.
@Suite struct UploadRuleTests {
    /// What bytes are sent by.
    enum Way: CaseIterable {
        case whole
        case parts
        case blocks
        case append
    }

    private let fixture: UploadFixture

    init() throws {
        fixture = try UploadFixture()
    }

    /// Sends `abcd` and ends the upload.
    private func send(_ way: Way, to service: UploadService, _ token: UploadToken) async throws {
        switch way {
        case .whole:
            _ = try await service.put("abcd", token)
        case .parts:
            let claims = try await service.send([(1, "abcd")], token)
            _ = try await service.finish(claims, token)
        case .blocks:
            let context = try await service.block(["abcd"], token)
            _ = try await service.makeFile([context], size: 4, token)
        case .append:
            _ = try await service.append("abcd", at: 0, token)
        }
    }

    @Test("no more bytes are announced than a file may have")
    func fileSize() async throws {
        let service = fixture.service(UploadLimits(fileSize: 3))
        _ = try await fixture.token(on: service, size: 3)
        await expectFailure(.payloadTooLarge) { try await fixture.token(on: service, size: 4) }
    }

    @Test("no more bytes come than a file may have", arguments: Way.allCases)
    func fileSizeUnannounced(way: Way) async throws {
        let service = fixture.service(UploadLimits(fileSize: 3))
        let token = try await fixture.token(on: service)
        await expectFailure(.payloadTooLarge) { try await send(way, to: service, token) }
        #expect(fixture.store.count(of: .file) == 0)
    }

    @Test("stored and announced bytes together stay within the quota")
    func quota() async throws {
        let service = fixture.service(UploadLimits(quota: 10))
        let first = try await fixture.token(on: service)
        _ = try await service.put("123456", first)
        await expectFailure(.quotaExceeded) { try await fixture.token(on: service, size: 5) }
        let second = try await fixture.token(on: service, size: 4)
        await expectFailure(.quotaExceeded) { try await fixture.token(on: service, size: 1) }
        try await service.cancel(second)
        _ = try await fixture.token(on: service, size: 4)
    }

    @Test("bytes that were not announced are refused if they are beyond the quota", arguments: Way.allCases)
    func quotaUnannounced(way: Way) async throws {
        let service = fixture.service(UploadLimits(quota: 3))
        let token = try await fixture.token(on: service)
        await expectFailure(.quotaExceeded) { try await send(way, to: service, token) }
        #expect(fixture.store.count(of: .file) == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("as many unfinished uploads are open as may be, and each end makes room")
    func open() async throws {
        let service = fixture.service(UploadLimits(open: 2))
        let first = try await fixture.token(on: service)
        let second = try await fixture.token(on: service)
        await expectFailure(.tooManyUploads) { try await fixture.token(on: service) }
        _ = try await service.put("abc", first)
        try await service.cancel(second)
        for _ in 0..<2 { _ = try await fixture.token(on: service) }
        await expectFailure(.tooManyUploads) { try await fixture.token(on: service) }
    }

    @Test("a type that may not be uploaded is refused when it is claimed")
    func claimedType() async throws {
        let service = fixture.service(UploadLimits(types: try #require(TypePolicy("image/*"))))
        let name = try FileName("a.jpg", limit: 255)
        let html = UploadAnnouncement(UploadDescription(name: name, mediaType: MediaType("text/html")), size: nil)
        await expectFailure(.forbidden) { try await service.announce(html, as: fixture.people.guest) }
        let image = UploadAnnouncement(UploadDescription(name: name, mediaType: .jpeg), size: nil)
        _ = try await service.announce(image, as: fixture.people.guest)
    }

    @Test("bytes of a type that may not be uploaded make no file", arguments: Way.allCases)
    func bytesType(way: Way) async throws {
        let service = fixture.service(UploadLimits(types: try #require(TypePolicy("image/*")), partSize: 1))
        let description = UploadDescription(name: try FileName("a.jpg", limit: 255), mediaType: .jpeg)
        let announcement = UploadAnnouncement(description, size: 4)
        let (_, token) = try await service.announce(announcement, as: fixture.people.guest)
        await expectFailure(.forbidden) { try await send(way, to: service, token) }
        #expect(fixture.store.count(of: .file) == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("a key is what the master key's holder says, and free")
    func chosenKey() async throws {
        let service = fixture.service()
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, key: "robots.txt", size: nil)
        let (upload, token) = try await service.announce(announcement, as: fixture.people.master)
        #expect(upload.key.description == "robots.txt")
        await expectFailure(.duplicateValue) { try await service.announce(announcement, as: fixture.people.master) }
        _ = try await service.put("abc", token)
        await expectFailure(.duplicateValue) { try await service.announce(announcement, as: fixture.people.master) }
        let (own, _) = try await service.announce(announcement, as: fixture.people.guest)
        #expect(own.key.description.wholeMatch(of: /[0-9A-Za-z]{32}\.txt/) != nil)
    }

    @Test("a chosen key is free again when its upload was given up")
    func freeKey() async throws {
        let service = fixture.service()
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, key: "robots.txt", size: nil)
        let (_, token) = try await service.announce(announcement, as: fixture.people.master)
        try await service.cancel(token)
        let (upload, _) = try await service.announce(announcement, as: fixture.people.master)
        #expect(upload.key.description == "robots.txt")
    }

    @Test("a key that an old SDK generated is accepted from every caller")
    func randomKey() async throws {
        let text = String(repeating: "a1B2", count: 10) + ".txt"
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, key: text, size: nil)
        let (upload, _) = try await fixture.service().announce(announcement, as: fixture.people.guest)
        #expect(upload.key.description == text)
    }

    @Test("where guests may not make files they begin none")
    func closed() async throws {
        let service = fixture.service()
        try await fixture.allowCreating(#""users""#)
        await expectFailure(.forbidden) { try await fixture.token(on: service) }
        _ = try await fixture.token(on: service, as: fixture.people.master)
        #expect(fixture.store.count(of: .upload) == 1)
    }

    @Test("a caller without the create permission cannot finish an upload", arguments: Way.allCases)
    func closedMeanwhile(way: Way) async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service, size: 4)
        let own = try await fixture.token(on: service, size: 4, as: fixture.people.master)
        try await fixture.allowCreating("")
        await expectFailure(.forbidden) { try await send(way, to: service, token) }
        #expect(fixture.store.count(of: .file) == 0)
        #expect(fixture.blobs.count == 0)
        try await send(way, to: service, own)
        #expect(fixture.store.count(of: .file) == 1)
    }

    @Test("an upload that was refused at its end goes on once it is allowed")
    func reopened() async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbbbbbb"), (3, "c")], token)
        try await fixture.allowCreating("")
        await expectFailure(.forbidden) { try await service.finish(claims, token) }
        try await fixture.allowCreating(#""everyone""#)
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbbbbbbc")
        #expect(fixture.staging.count == 0)
    }

    @Test("a caller whose session ended meanwhile is a guest at the end", arguments: Way.allCases)
    func loggedOut(way: Way) async throws {
        let service = fixture.service()
        try await fixture.allowCreating(#""users""#)
        let (id, session) = try await fixture.people.signUp("ann")
        let user = try await fixture.people.caller(session)
        let token = try await fixture.token(on: service, size: 4, as: user)
        _ = try await fixture.people.accounts.refreshSession(of: id, as: user)
        await expectFailure(.forbidden) { try await send(way, to: service, token) }
        #expect(fixture.store.count(of: .file) == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("a file belongs to the user who began the upload", arguments: Way.allCases)
    func owner(way: Way) async throws {
        let service = fixture.service()
        try await fixture.allowCreating(#""users""#)
        let (id, session) = try await fixture.people.signUp("ann")
        let user = try await fixture.people.caller(session)
        let (upload, token) = try await fixture.begin(on: service, size: 4, as: user)
        try await send(way, to: service, token)
        let record = try await FileRecords(fixture.store).file(id: upload.id)
        #expect(record?.metaData["owner"] == .string(id.description))
    }

    @Test("a request without a token is not finished either without the create permission")
    func oneRequest() async throws {
        let service = fixture.service()
        var upload = try await service.begin(announced: nil, as: fixture.people.guest)
        try await upload.append(ByteBuffer(string: "abc"))
        try await fixture.allowCreating("")
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let uploads = [(upload: upload, description: description)]
        await expectFailure(.forbidden) { try await service.commit(uploads, as: fixture.people.guest) }
        #expect(fixture.staging.count == 0)
        #expect(fixture.blobs.count == 0)
    }

    @Test("an upload counts with what it announced until its file counts, or nothing does", arguments: Way.allCases)
    func usage(way: Way) async throws {
        let service = fixture.service()
        let (_, given) = try await fixture.begin(on: service, size: 4)
        let (_, up) = try await fixture.begin(on: service, size: 9)
        #expect(try await fixture.usage() == Usage(announced: 13, uploads: 2))
        try await send(way, to: service, given)
        #expect(try await fixture.usage() == Usage(bytes: 4, files: 1, announced: 9, uploads: 1))
        try await service.cancel(up)
        #expect(try await fixture.usage() == Usage(bytes: 4, files: 1))
    }

    @Test("bytes that were not announced count from their arrival")
    func receivedUsage() async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service)
        let first = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        #expect(try await fixture.usage() == Usage(announced: 8, uploads: 1))
        let second = try await service.send([(2, "bb")], token)
        #expect(try await fixture.usage() == Usage(announced: 6, uploads: 1))
        _ = try await service.finish([first[0], second[0]], token)
        #expect(try await fixture.usage() == Usage(bytes: 6, files: 1))
    }

    @Test("an upload that announced nothing counts with nothing, and its file with what it has")
    func unannouncedUsage() async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service)
        #expect(try await fixture.usage() == Usage(uploads: 1))
        _ = try await service.put("abc", token)
        _ = try await service.put("abc", token)
        #expect(try await fixture.usage() == Usage(bytes: 3, files: 1))
    }

    @Test("a size that is said later counts from then on")
    func deferredUsage() async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service)
        _ = try await service.append("abc", at: 0, token, sized: 7)
        #expect(try await fixture.usage() == Usage(announced: 7, uploads: 1))
    }

    @Test("what is refused at its end changes no count")
    func refusedUsage() async throws {
        let service = fixture.service()
        let token = try await fixture.token(on: service, size: 4)
        await expectFailure(.badRequest) { try await service.put("abc", token) }
        #expect(try await fixture.usage() == Usage(announced: 4, uploads: 1))
    }

    @Test("partial uploads count until the file that they make does")
    func partialUsage() async throws {
        let service = fixture.service()
        var tokens: [UploadToken] = []
        for text in ["abc", "de"] {
            let token = try await fixture.token(on: service, size: Int64(text.utf8.count), kind: .partial)
            _ = try await service.append(text, at: 0, token)
            tokens.append(token)
        }
        #expect(try await fixture.usage() == Usage(announced: 5, uploads: 2))
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, kind: .final("final;a b"), size: nil)
        _ = try await service.concatenate(announcement, of: tokens, as: fixture.people.guest)
        #expect(try await fixture.usage() == Usage(bytes: 5, files: 1))
    }
}
