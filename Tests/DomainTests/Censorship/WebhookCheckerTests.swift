import Support
import Testing

@testable import Domain

@Suite("The webhook")
struct WebhookCheckerTests {
    @Test("The webhook gets the file, earlier scores, an address of the image, and a signature")
    func question() async throws {
        let webhooks = ScriptedWebhooks()
        webhooks.answer(200, #"{"verdict":"passed"}"#)
        let app = try #require(AppID("app"))
        let secret = Secret("0123456789abcdef")
        let checker = WebhookChecker(
            app: app,
            url: try RemoteURL("https://moderation.example.com/check"),
            settings: WebhookSettings(sender: webhooks, secret: secret, timeout: 5),
            previews: Previews(
                base: "https://api.example.com",
                address: PreviewAddress(app: app, masterKey: Secret("m"))
            ),
            callback: "https://api.example.com/1.1/censorship/callback"
        )
        let first = ScriptedChecker()
        first.say(.review, scores: ["nsfw": 0.5])
        let fixture = try await CensorFixture(checkers: [first, checker])
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        try await fixture.work()
        #expect(try await fixture.decision(about: id)?.checker == "webhook")
        let request = try #require(webhooks.requests.first)
        #expect(request.body["file"] == .string(id.description))
        #expect(request.body["scores"] == .object(["nsfw": .number(0.5)]))
        let url = try #require(request.body["url"]?.stringValue)
        #expect(url.hasPrefix("https://api.example.com/1.1/censorship/files/app/\(id)/"))
        try WebhookSignature.verify(
            request.bytes,
            timestamp: request.headers[WebhookSignature.timestampHeader],
            signature: request.headers[WebhookSignature.signatureHeader],
            secret: secret,
            at: .now()
        )
    }

    @Test(
        "Answers that are no verdict are refused",
        arguments: [
            "", "[]", "{}", #"{"verdict":"pending"}"#, #"{"verdict":"yes"}"#, #"{"verdict":1}"#, "<html>",
            #"{"verdict":"passed","scores":{"a":2}}"#, #"{"verdict":"passed","scores":{"a":"b"}}"#,
            "\u{0}",
        ]
    )
    func nonsense(_ body: String) {
        #expect(throws: ServiceError.self) { try WebhookChecker.opinion(in: Array(body.utf8)) }
    }

    @Test("An answer has a verdict, and can have scores and a reason, which is cut")
    func opinion() throws {
        let reason = String(repeating: "x", count: 1000)
        let body = #"{"verdict":"review","scores":{"a":0.5},"reason":"\#(reason)"}"#
        let opinion = try WebhookChecker.opinion(in: Array(body.utf8))
        #expect(opinion == Opinion(.review, String(reason.prefix(500)), scores: ["a": 0.5]))
    }

    /// A callback with a signature.
    private func call(
        _ fixture: CensorFixture,
        _ body: String,
        secret: Secret? = nil,
        at time: Timestamp? = nil
    ) async throws -> Verdict {
        let bytes = Array(body.utf8)
        let signature = WebhookSignature(of: bytes, secret: secret ?? fixture.secret, at: time ?? fixture.clock.now)
        return try await fixture.service.callback(
            bytes,
            timestamp: signature.timestamp,
            signature: signature.signature
        )
    }

    @Test("After 202 a signed callback decides, once")
    func callback() async throws {
        let (first, second) = (ScriptedChecker(), ScriptedChecker())
        first.say(.review, scores: ["nsfw": 0.3])
        second.answer(.later)
        let fixture = try await CensorFixture(checkers: [first, second])
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .pending)
        let body = #"{"app":"app","file":"\#(id)","verdict":"rejected","scores":{"other":0.9}}"#
        #expect(try await call(fixture, body) == .rejected)
        #expect(try await fixture.verdict(of: id) == .rejected)
        let decision = try #require(try await fixture.decision(about: id))
        #expect(decision.checker == "webhook")
        #expect(decision.scores == ["nsfw": 0.3, "other": 0.9])
        let error = await #expect(throws: ServiceError.self) { _ = try await call(fixture, body) }
        #expect(error?.code == .objectNotFound)
    }

    @Test("A callback that comes before the webhook's 202 decides, and no second one is waited for")
    func earlyCallback() async throws {
        let (first, second) = (ScriptedChecker(), ScriptedChecker())
        first.say(.review, scores: ["nsfw": 0.3])
        let fixture = try await CensorFixture(checkers: [first, second])
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        let body = #"{"app":"app","file":"\#(id)","verdict":"rejected"}"#
        second.during { [fixture] in
            let verdict = try await call(fixture, body)
            #expect(verdict == .rejected)
        }
        second.answer(.later)
        try await fixture.work()
        #expect(try await fixture.decision(about: id)?.scores == ["nsfw": 0.3])
        #expect(try await fixture.machineDecisions(about: id).map(\.verdict) == [.rejected])
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("A callback that comes before the 202 is the answer to the caller who waits for the check")
    func earlyCallbackOfCaller() async throws {
        let fixture = try await CensorFixture()
        let id = try await fixture.upload()
        let body = #"{"app":"app","file":"\#(id)","verdict":"rejected"}"#
        fixture.checker.during { [fixture] in
            let verdict = try await call(fixture, body)
            #expect(verdict == .rejected)
        }
        fixture.checker.answer(.later)
        #expect(try await fixture.service.check(id, as: fixture.master) == .rejected)
        #expect(try await fixture.verdict(of: id) == .rejected)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("A caller whose check a webhook answers later gets `review`; the callback decides")
    func callbackOfCaller() async throws {
        let fixture = try await CensorFixture()
        let id = try await fixture.upload()
        fixture.checker.answer(.later)
        #expect(try await fixture.service.check(id, as: fixture.master) == .review)
        #expect(try await fixture.jobs().map(\.isAwaitingCallback) == [true])
        #expect(try await call(fixture, #"{"app":"app","file":"\#(id)","verdict":"passed"}"#) == .passed)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("A callback for a file about which no webhook was asked decides nothing")
    func unasked() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        let body = #"{"app":"app","file":"\#(id)","verdict":"passed"}"#
        let error = await #expect(throws: ServiceError.self) { _ = try await call(fixture, body) }
        #expect(error?.code == .objectNotFound)
        #expect(try await fixture.verdict(of: id) == .pending)
    }

    @Test("A callback passes no animation of which only the first frame can be read")
    func callbackAboutPart() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.answer(.later)
        var header = photoHeader
        header.hasUnreadFrames = true
        let origin = try await fixture.images.file("an animation", as: header, key: "own/a.png")
        let key = try #require(FileKey(origin.source))
        try await fixture.work()
        let id = try #require(try await FileRecords(fixture.store).file(key: key)).id
        #expect(try await call(fixture, #"{"app":"app","file":"\#(id)","verdict":"passed"}"#) == .review)
    }

    @Test("An answer of the webhook that is too long is no verdict, and the check is tried again")
    func longAnswer() async throws {
        let webhooks = ScriptedWebhooks()
        webhooks.answer(200, #"{"verdict":"passed"}"#, isWhole: false)
        let app = try #require(AppID("app"))
        let checker = WebhookChecker(
            app: app,
            url: try RemoteURL("https://moderation.example.com/check"),
            settings: WebhookSettings(sender: webhooks, secret: Secret("0123456789abcdef"), timeout: 5),
            previews: Previews(
                base: "https://api.example.com",
                address: PreviewAddress(app: app, masterKey: Secret("m"))
            ),
            callback: "https://api.example.com/1.1/censorship/callback"
        )
        let fixture = try await CensorFixture(checkers: [checker])
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .pending)
        #expect(try await fixture.jobs().map(\.attempts) == [1])
    }

    @Test("A callback with a wrong signature, or an old one, decides nothing")
    func forged() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.answer(.later)
        let id = try await fixture.upload()
        try await fixture.work()
        let body = #"{"app":"app","file":"\#(id)","verdict":"passed"}"#
        let now = fixture.clock.now
        for (secret, time) in [(Secret("another secret!!"), now), (fixture.secret, now.adding(seconds: -301))] {
            let error = await #expect(throws: ServiceError.self) {
                _ = try await call(fixture, body, secret: secret, at: time)
            }
            #expect(error?.code == .forbidden)
        }
        #expect(try await fixture.verdict(of: id) == .pending)
    }

    @Test("Without a callback in time the webhook is asked again, and in the end a person")
    func silence() async throws {
        var limits = CheckLimits()
        limits.attempts = 2
        let fixture = try await CensorFixture(limits)
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.answer(.later)
        let id = try await fixture.upload()
        try await fixture.work()
        for _ in 0..<3 {
            fixture.clock.advance(seconds: limits.callbackTimeout)
            try await fixture.work()
        }
        #expect(try await fixture.verdict(of: id) == .review)
    }
}
