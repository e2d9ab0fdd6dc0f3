import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// Uploads in parts that have numbers.
@Suite struct PartUploadTests {
    private let fixture: UploadFixture
    private let service: UploadService

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
    }

    @Test(
        "parts make the file in the order of their numbers, whatever theirs was",
        arguments: [[1, 2, 3], [3, 2, 1], [2, 3, 1]]
    )
    func order(numbers: [Int]) async throws {
        let token = try await fixture.token(on: service, size: 9)
        let texts = [1: "aaaa", 2: "bbbb", 3: "c"]
        let claims = try await service.send(numbers.map { ($0, texts[$0] ?? "") }, token)
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbbc")
        #expect(fixture.staging.count == 0)
        #expect(fixture.store.count(of: .uploadPart) == 0)
    }

    @Test("parts are finished by a write that failed after its commit", arguments: [[1, 2], [2, 1]])
    func finishedByFailure(order: [Int]) async throws {
        let (service, token, claims) = try await sendParts(order, failing: 1)
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
        #expect(fixture.staging.count == 0)
    }

    @Test("parts whose commit stayed undecided are finished by the next list", arguments: [[1, 2], [2, 1]])
    func undecided(order: [Int]) async throws {
        let (service, token, claims) = try await sendParts(order, failing: 2)
        await expectFailure(.storageFailing) { try await service.finish(claims, token) }
        // Its bytes would go into the stored file.
        await expectFailure(.uploadConflict) { try await service.part(2, "bbbb", token) }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
        #expect(fixture.staging.count == 0)
        #expect(try await fixture.staging.unsettled() == [])
    }

    @Test("cancelling an upload whose commit stayed undecided takes no file away")
    func cancelledUndecided() async throws {
        let (service, token, claims) = try await sendParts([1, 2], failing: 2)
        await expectFailure(.storageFailing) { try await service.finish(claims, token) }
        try await service.cancel(token)
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
        #expect(fixture.staging.count == 0)
    }

    /// Sends two parts, after which writes of the store fail after their commit.
    private func sendParts(
        _ order: [Int],
        failing count: Int
    ) async throws -> (UploadService, UploadToken, [(number: Int, tag: String)]) {
        let store = LateFailingStore(fixture.store)
        let service = fixture.service(through: store)
        let token = try await fixture.token(on: service)
        let texts = [1: "aaaa", 2: "bbbb"]
        let claims = try await service.send(order.map { ($0, texts[$0] ?? "") }, token)
        store.failWrites(count)
        return (service, token, claims)
    }

    @Test(
        "parts of any sizes make the file",
        arguments: [["aaaa", "bbbbbbbb", "cccc"], ["aaaaaa", "bbbb", "ccccc", "d"]]
    )
    func sizes(texts: [String]) async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send(zip(1..., texts).map { ($0, $1) }, token)
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == texts.joined())
        #expect(fixture.staging.count == 0)
    }

    @Test("numbers may leave others out, and parts that are not in the list do not count")
    func chosen() async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(2, "aaaa"), (5, "bbbb"), (7, "c")], token)
        let record = try await service.finish([claims[0], claims[2]], token)
        #expect(try await fixture.text(of: record.key) == "aaaac")
    }

    @Test("a part that is sent again replaces the first", arguments: ["BBBB", "BBBBBBBB", "B"])
    func replaced(text: String) async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        let second = try await service.send([(2, text)], token)
        await expectFailure(.uploadConflict) { try await service.finish(first, token) }
        let record = try await service.finish([first[0], second[0]], token)
        #expect(try await fixture.text(of: record.key) == "aaaa\(text)")
    }

    @Test("finishing again gives the same file, whatever the list")
    func again() async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa")], token)
        let first = try await service.finish(claims, token)
        let second = try await service.finish(claims, token)
        let third = try await service.finish([(9, "x")], token)
        #expect(second == first)
        #expect(third == first)
    }

    @Test(
        "a list that does not fit is refused, and the right one comes after it",
        arguments: [
            ([1, 3], .uploadConflict), ([1, 2, 3], .uploadConflict), ([2, 1], .badRequest), ([1, 1], .badRequest),
            ([0, 1], .badRequest), ([-1], .badRequest),
        ] as [([Int], ServiceError.Code)]
    )
    func wrongList(numbers: [Int], code: ServiceError.Code) async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        let wrong = numbers.map { number in (number: number, tag: claims.first { $0.number == number }?.tag ?? "") }
        await expectFailure(code) { try await service.finish(wrong, token) }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
    }

    @Test("a part under another name is refused", arguments: ["", "x"])
    func wrongTag(tag: String) async throws {
        let token = try await fixture.token(on: service)
        _ = try await service.send([(1, "aaaa")], token)
        await expectFailure(.uploadConflict) { try await service.finish([(1, tag)], token) }
    }

    @Test("only the last part may be smaller than the limit")
    func tooSmall() async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bbb"), (3, "c")], token)
        await expectFailure(.badRequest) { try await service.finish(claims, token) }
        let record = try await service.finish([claims[0], claims[1]], token)
        #expect(try await fixture.text(of: record.key) == "aaaabbb")
    }

    @Test("a list that is refused because bytes are missing from it does no harm to them")
    func incompleteList() async throws {
        let token = try await fixture.token(on: service, size: 8)
        let claims = try await service.send([(1, "aaaa"), (2, "bbbb")], token)
        await expectFailure(.badRequest) { try await service.finish([claims[0]], token) }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
    }

    @Test("of a part with another MD5 nothing is there")
    func md5() async throws {
        let token = try await fixture.token(on: service)
        let wrong = [UInt8](repeating: 0, count: 16)
        await expectFailure(.checksumMismatch) { try await service.part(1, "aaaa", token, saying: [.md5: wrong]) }
        let progress = try await service.using(token) { $0.progress }
        #expect(progress.received == 0)
    }

    @Test("a part that is refused replaces none")
    func refusedReplacement() async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa"), (2, "bb")], token)
        let wrong = [UInt8](repeating: 0, count: 16)
        await expectFailure(.checksumMismatch) { try await service.part(1, "xxxx", token, saying: [.md5: wrong]) }
        await expectFailure(.badRequest) { try await service.part(1, "xxxx", token, size: 5) }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "aaaabb")
        #expect(fixture.staging.count == 0)
    }

    @Test("a part that is sent again replaces the first once it is whole, also after the server was started again")
    func replacedAfterRestart() async throws {
        let token = try await fixture.token(on: service)
        let first = try await service.send([(1, "aaaa"), (2, "bbbb"), (3, "c")], token)
        let next = fixture.service()
        let second = try await next.send([(1, "AAAA")], token)
        let last = fixture.service()
        let record = try await last.finish([second[0], first[1], first[2]], token)
        #expect(try await fixture.text(of: record.key) == "AAAAbbbbc")
    }

    @Test("a part is told with its MD5")
    func receipt() async throws {
        let token = try await fixture.token(on: service)
        let right = try #require([UInt8](hexadecimal: "900150983cd24fb0d6963f7d28e17f72"))
        let receipt = try await service.part(1, "abc", token, saying: [.md5: right])
        #expect(receipt.digests[.md5] == right)
    }

    @Test(
        "a part that has more or fewer bytes than its request says is refused",
        arguments: [(5, .badRequest), (3, .payloadTooLarge)] as [(Int64, ServiceError.Code)]
    )
    func length(size: Int64, code: ServiceError.Code) async throws {
        let token = try await fixture.token(on: service)
        await expectFailure(code) { try await service.part(1, "aaaa", token, size: size) }
        let progress = try await service.using(token) { $0.progress }
        #expect(progress.received == 0)
    }

    @Test("parts have no more bytes together than were announced, and one that is sent again counts once")
    func announcedSize() async throws {
        let token = try await fixture.token(on: service, size: 7)
        _ = try await service.send([(1, "aaaa"), (1, "aaaa")], token)
        await expectFailure(.payloadTooLarge) { try await service.part(2, "bbbb", token) }
        let claims = try await service.send([(1, "aaaa"), (2, "bbb")], token)
        let record = try await service.finish(claims, token)
        #expect(record.facts.size == 7)
    }

    @Test("two parts come at the same time")
    func parallel() async throws {
        let token = try await fixture.token(on: service, size: 8)
        let body = SlowBody("aa", "aa")
        let slow = Task { [service] in
            try await service.using(token) { upload in
                try await upload.receivePart(1, size: 4, expecting: [:]) { try await body.send(to: $0) }
            }
        }
        await body.begun.wait()
        let second = try await service.part(2, "bbbb", token)
        let progress = try await service.using(token) { $0.progress }
        body.mayGoOn.open()
        let first = try await slow.value
        let record = try await service.finish([(1, first.tag), (2, second.tag)], token)
        #expect(progress.received == 6)
        #expect(try await fixture.text(of: record.key) == "aaaabbbb")
    }

    @Test("a newer connection gets the part from an older one")
    func newer() async throws {
        let token = try await fixture.token(on: service)
        let body = SlowBody("aa", "aa")
        let older = Task { [service] in
            try await service.using(token) { upload in
                try await upload.receivePart(1, size: 4, expecting: [:]) { try await body.send(to: $0) }
            }
        }
        await body.begun.wait()
        let claims = try await service.send([(1, "bbbb")], token)
        await expectFailure(.superseded) { try await older.value }
        let record = try await service.finish(claims, token)
        #expect(try await fixture.text(of: record.key) == "bbbb")
    }

    @Test("parts are there after the server was started again")
    func restart() async throws {
        let token = try await fixture.token(on: service, size: 9)
        let first = try await service.send([(1, "aaaa"), (3, "c")], token)
        let next = fixture.service()
        let progress = try await next.using(token) { $0.progress }
        let second = try await next.send([(2, "bbbb")], token)
        let record = try await next.finish([first[0], second[0], first[1]], token)
        #expect(progress.received == 5)
        #expect(progress.state == "receiving")
        #expect(try await fixture.text(of: record.key) == "aaaabbbbc")
    }

    @Test("no part comes after the end")
    func late() async throws {
        let token = try await fixture.token(on: service)
        let claims = try await service.send([(1, "aaaa")], token)
        _ = try await service.finish(claims, token)
        await expectFailure(.uploadConflict) { try await service.part(1, "bbbb", token) }
    }
}
