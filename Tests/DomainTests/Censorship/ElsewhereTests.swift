import NIOCore
import Support
import Testing

@testable import Domain

@Suite("Files on other servers")
struct ElsewhereTests {
    private static let url = "https://elsewhere.example/file"

    /// An app that checks new images, and another server that has a photograph.
    private func fixture(_ checkers: [any Checker]? = nil, holds: Bool = false) async throws -> CensorFixture {
        let fixture = try await CensorFixture(checkers: checkers)
        try await fixture.set(["auto": .bool(true), "hold": .bool(holds)])
        for text in ["a photograph", "another photograph"] { fixture.images.renderer.know(text, as: photoHeader) }
        fixture.origin.serve("a photograph")
        return fixture
    }

    private func version(of text: String) -> String { StoredDerivative.tag(of: ByteBuffer(string: text)) }

    private func record(_ id: ObjectID, _ fixture: CensorFixture) async throws -> StoredObject {
        try #require(try await fixture.store.read { try $0.object(id, in: .file) })
    }

    /// The version of the bytes that are served without a further check.
    private func passed(_ id: ObjectID, _ fixture: CensorFixture) async throws -> String? {
        guard case .elsewhere(_, let passed)? = FileLocation(of: try await record(id, fixture)) else { return nil }
        return passed
    }

    @Test(
        "An image is held, checked and blocked, also if its record declares another type or none",
        arguments: [nil, "image/jpeg", "application/octet-stream", "text/plain", "video/mp4"]
    )
    func types(type: String?) async throws {
        let fixture = try await fixture(holds: true)
        fixture.checker.say(.rejected)
        let id = try await fixture.link(Self.url, type: type)
        let verdict = try await fixture.verdict(of: id)
        #expect(verdict == .pending)
        #expect(throws: ServiceError.self) { try fixture.policy.requireOpen(verdict) }
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .rejected)
        _ = try await fixture.service.decide(.passed, about: id, note: nil, by: nil, as: fixture.master)
        #expect(try await fixture.verdict(of: id) == .passed)
        _ = try await fixture.service.decide(.rejected, about: id, note: nil, by: nil, as: fixture.master)
        #expect(try await fixture.verdict(of: id) == .rejected)
    }

    @Test("A record with a key that is not valid is about the bytes at its URL", arguments: ["", "/"])
    func invalidKey(key: String) throws {
        let now = Timestamp(milliseconds: 0)
        let fields: [String: JSONValue] = ["key": .string(key), "url": .string(Self.url)]
        let id = try #require(ObjectID("a"))
        let record = StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields)
        guard case .elsewhere? = FileLocation(of: record) else {
            Issue.record("The location is not on another server.")
            return
        }
        #expect(CheckedFile.canBeImage(record))
    }

    @Test("A file that is no image passes, and no checker is asked", arguments: [nil, "text/plain"])
    func noImage(type: String?) async throws {
        let fixture = try await fixture()
        fixture.origin.serve("a text")
        let id = try await fixture.link(Self.url, type: type)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .passed)
        #expect(try await fixture.decision(about: id)?.reason == "The file is not an image.")
        #expect(fixture.checker.seen.isEmpty)
        #expect(try await passed(id, fixture) == version(of: "a text"))
    }

    @Test(
        "An image that cannot be read goes to a person, whether its record or the other server says that it is one",
        arguments: [("image/png", nil), (nil, "image/png")] as [(String?, String?)]
    )
    func damaged(declared: String?, sent: String?) async throws {
        let fixture = try await fixture([ClassifierChecker(ScriptedClassifier())])
        fixture.origin.serve("half an image", FetchedHead(mediaType: sent.flatMap { MediaType($0) }))
        let id = try await fixture.link(Self.url, type: declared)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .review)
    }

    @Test(
        "A file that is too large is fetched once; an image goes to a person, another file passes",
        arguments: [("image/png", Verdict.review), ("video/mp4", .passed)]
    )
    func tooLarge(type: String, verdict: Verdict) async throws {
        let fixture = try await fixture()
        fixture.origin.serve(String(repeating: "x", count: Int(CensorFixture.remoteLimit) + 1))
        let id = try await fixture.link(Self.url, type: type)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == verdict)
        #expect(try await fixture.decision(about: id)?.reason?.contains("images.maxSourceSize") == true)
        #expect(fixture.origin.requests.count == 1)
        // Bytes that are served later have passed no check.
        #expect(try await passed(id, fixture) == (verdict == .passed ? "" : nil))
    }

    @Test("Bytes that no check passed are checked, and with `hold` not served before", arguments: [false, true])
    func changed(holds: Bool) async throws {
        let fixture = try await fixture(holds: holds)
        let id = try await fixture.link(Self.url)
        try await fixture.work()
        #expect(try await passed(id, fixture) == version(of: "a photograph"))
        fixture.origin.serve("another photograph")
        try await fixture.remoteImages.forget(RemoteURL(Self.url))
        for _ in 0..<3 {
            var isBlocked = false
            do {
                try await fixture.service.recheck(id, of: version(of: "another photograph"))
            } catch let error as ServiceError where error.code == .blocked {
                isBlocked = true
            }
            #expect(isBlocked == holds)
        }
        #expect(try await fixture.verdict(of: id) == .pending)
        #expect(try await fixture.jobs().map(\.file) == [id])
        // Not at once, because the other server can send other bytes for each request.
        #expect(try await fixture.work() == 0)
        fixture.clock.advance(seconds: 600)
        try await fixture.work()
        #expect(fixture.checker.seen == [id, id])
        #expect(try await passed(id, fixture) == version(of: "another photograph"))
        try await fixture.service.recheck(id, of: version(of: "another photograph"))
        #expect(try await fixture.verdict(of: id) == .passed)
        let verdicts = try await fixture.machineDecisions(about: id).map(\.verdict)
        #expect(verdicts == [.passed, .pending, .passed])
    }

    @Test("A server that has the former bytes in its cache fetches the file again for the check")
    func outdatedCopy() async throws {
        let fixture = try await fixture()
        let id = try await fixture.link(Self.url)
        try await fixture.work()
        fixture.origin.serve("another photograph")
        // Another server got them.
        try await fixture.service.recheck(id, of: version(of: "another photograph"))
        fixture.clock.advance(seconds: 600)
        try await fixture.work()
        #expect(try await passed(id, fixture) == version(of: "another photograph"))
        #expect(fixture.origin.requests.count == 2)
    }

    @Test("A person's verdict is about the bytes that the server had then")
    func person() async throws {
        let fixture = try await fixture()
        fixture.checker.say(.review)
        let id = try await fixture.link(Self.url)
        try await fixture.work()
        _ = try await fixture.service.decide(.passed, about: id, note: nil, by: nil, as: fixture.master)
        #expect(try await passed(id, fixture) == version(of: "a photograph"))
        try await fixture.service.recheck(id, of: version(of: "another photograph"))
        #expect(try await fixture.verdict(of: id) == .pending)
    }

    @Test("A blocked file stays blocked if the other server sends other bytes")
    func blocked() async throws {
        let fixture = try await fixture()
        fixture.checker.say(.rejected)
        let id = try await fixture.link(Self.url)
        try await fixture.work()
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.service.recheck(id, of: version(of: "another photograph"))
        }
        #expect(error?.code == .blocked)
        #expect(try await fixture.verdict(of: id) == .rejected)
    }

    @Test("Without `auto` other bytes are served, as those of a new file are")
    func notAutomatic() async throws {
        let fixture = try await fixture(holds: true)
        let id = try await fixture.link(Self.url)
        try await fixture.work()
        try await fixture.set(["auto": .bool(false)])
        try await fixture.service.recheck(id, of: version(of: "another photograph"))
        #expect(try await fixture.verdict(of: id) == .passed)
    }

    @Test("A verdict that a person takes back is not replaced by an earlier one, which can be about other bytes")
    func takenBack() async throws {
        let fixture = try await fixture()
        let id = try await fixture.link(Self.url)
        try await fixture.work()
        _ = try await fixture.service.decide(.rejected, about: id, note: nil, by: nil, as: fixture.master)
        _ = try await fixture.service.takeBack(id, by: nil, as: fixture.master)
        #expect(try await fixture.verdict(of: id) == .pending)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .passed)
    }
}
