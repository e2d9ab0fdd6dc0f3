import Support
import Testing

@testable import Domain

@Suite("Verdicts of people")
struct CensorReviewTests {
    private func decide(_ verdict: Verdict, _ id: ObjectID, _ fixture: CensorFixture) async throws {
        _ = try await fixture.service.decide(verdict, about: id, note: "a note", by: "alice", as: fixture.master)
    }

    @Test("A person's verdict wins over a machine's, before and after it", arguments: [Verdict.passed, .rejected])
    func wins(_ verdict: Verdict) async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        let machine: Verdict = verdict == .passed ? .rejected : .passed
        fixture.checker.say(machine)
        try await fixture.work()
        try await decide(verdict, id, fixture)
        #expect(try await fixture.verdict(of: id) == verdict)
        #expect(try await fixture.service.check(id, as: fixture.master) == verdict)
        let end = Timestamp.now().adding(seconds: 60)
        let range = (from: Timestamp(milliseconds: 0), to: end)
        _ = try await fixture.service.startRun(over: range, rechecks: true, by: nil, as: fixture.master)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == verdict)
        let history = try #require(try await fixture.service.state(of: id, as: fixture.master).history)
        #expect(history.map(\.verdict) == [verdict, machine])
        #expect(history[0].by == "alice")
        #expect(history[0].note == "a note")
    }

    @Test("A verdict in the middle of a check wins, and the check's own is not recorded")
    func duringCheck() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        fixture.checker.say(.passed)
        fixture.checker.during { [fixture] in
            _ = try await fixture.service.decide(.rejected, about: id, note: nil, by: nil, as: fixture.master)
        }
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .rejected)
        #expect(try await fixture.machineDecisions(about: id).isEmpty)
    }

    @Test("What a person blocked is known: the same bytes are rejected in another file, until the file passes again")
    func known() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let first = try await fixture.upload("a photograph", key: "own/a.jpg")
        try await decide(.rejected, first, fixture)
        try await fixture.work()
        let second = try await fixture.upload("a photograph", key: "own/b.jpg")
        try await fixture.work()
        #expect(try await fixture.verdict(of: second) == .rejected)
        #expect(try await fixture.decision(about: second)?.checker == "known")
        try await decide(.passed, first, fixture)
        let third = try await fixture.upload("a photograph", key: "own/c.jpg")
        try await fixture.work()
        #expect(try await fixture.verdict(of: third) == .passed)
    }

    @Test("Caches are told once of a file that becomes blocked, until they answer with success")
    func purges() async throws {
        let fixture = try await CensorFixture(purges: true)
        let id = try await fixture.upload()
        fixture.webhooks.answer(503)
        try await decide(.rejected, id, fixture)
        try await decide(.rejected, id, fixture)
        try await fixture.work()
        fixture.webhooks.answer(204)
        fixture.clock.advance(seconds: 60)
        try await fixture.work()
        fixture.clock.advance(seconds: 3600)
        try await fixture.work()
        let requests = fixture.webhooks.requests
        #expect(requests.count == 2)
        let sent = try #require(requests.last)
        #expect(sent.url == "https://cdn.example.com/purge")
        #expect(sent.body["file"] == .string(id.description))
        #expect(sent.body["urls"]?.arrayValue?.first == "https://files.example.com/own/photo.jpg")
        try WebhookSignature.verify(
            sent.bytes,
            timestamp: sent.headers[WebhookSignature.timestampHeader],
            signature: sent.headers[WebhookSignature.signatureHeader],
            secret: fixture.secret,
            at: .now()
        )
    }

    @Test("A purge is repeated as long as it fails, also more often than a check, at least once an hour")
    func purgesOnAndOn() async throws {
        var limits = CheckLimits()
        limits.attempts = 2
        let fixture = try await CensorFixture(limits, purges: true)
        let id = try await fixture.upload()
        fixture.webhooks.answer(503)
        try await decide(.rejected, id, fixture)
        for _ in 0..<10 {
            try await fixture.work()
            fixture.clock.advance(seconds: 3600)
        }
        #expect(fixture.webhooks.requests.count == 10)
        fixture.webhooks.answer(200)
        try await fixture.work()
        #expect(fixture.webhooks.requests.count == 11)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("A blocked image whose server is down is learned when it is there again; after three days it is given up")
    func learnsLater() async throws {
        var limits = CheckLimits()
        limits.attempts = 2
        let fixture = try await CensorFixture(limits)
        fixture.images.renderer.know("a photograph", as: photoHeader)
        fixture.origin.fail(ServiceError(.badRequest, "The file cannot be fetched."))
        for (hours, isLearned) in [(70, true), (73, false)] {
            let id = try await fixture.link("https://elsewhere.example/\(hours)")
            try await decide(.rejected, id, fixture)
            for _ in 0..<hours {
                try await fixture.work()
                fixture.clock.advance(seconds: 3600)
            }
            fixture.origin.serve("a photograph")
            try await fixture.work()
            #expect(try await fixture.jobs().isEmpty)
            let known = try await fixture.store.read { try $0.count(KnownImage.isOf(file: id), in: .knownImage) }
            #expect(known == (isLearned ? 1 : 0))
            fixture.origin.fail(ServiceError(.badRequest, "The file cannot be fetched."))
        }
    }

    @Test("Only the master key reads, decides and changes anything")
    func rights() async throws {
        let fixture = try await CensorFixture()
        let id = try await fixture.upload()
        let user = Caller.User(id: ObjectIDGenerator().next(), session: ObjectIDGenerator().next())
        let service = fixture.service
        for caller in [Caller(app: fixture.app), Caller(app: fixture.app, user: user)] {
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await service.check(id, as: caller) },
                { _ = try await service.decide(.passed, about: id, note: nil, by: nil, as: caller) },
                { _ = try await service.state(of: id, as: caller) },
                { _ = try await service.files(with: nil, from: nil, to: nil, limit: 1, cursor: nil, as: caller) },
                { _ = try await service.log(limit: 1, cursor: nil, as: caller) },
                { _ = try await service.knownImages(limit: 1, cursor: nil, as: caller) },
                { _ = try await service.addKnown([], by: nil, as: caller) },
                { _ = try await service.removeKnown(id, as: caller) },
                { _ = try service.settings(as: caller) },
                { _ = try await service.change([:], by: nil, as: caller) },
                { _ = try await service.status(as: caller) },
                { _ = try await service.runs(as: caller) },
                { _ = try await service.run(id, as: caller) },
                { _ = try await service.change(id, to: .cancelled, by: nil, as: caller) },
                { _ = try await service.startRun(over: (.now(), .now()), rechecks: false, by: nil, as: caller) },
            ]
            for (index, call) in calls.enumerated() {
                let error = await #expect(throws: ServiceError.self, "call \(index)") { try await call() }
                #expect(error?.code == .masterKeyRequired, "call \(index)")
            }
        }
    }
}
