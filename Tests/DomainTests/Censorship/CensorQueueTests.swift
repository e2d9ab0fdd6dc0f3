import Support
import Testing

@testable import Domain

@Suite("The censorship queue")
struct CensorQueueTests {
    @Test("An upload is queued, checked and decided; its record, log and queue say so")
    func decides() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.say(.rejected, scores: ["nsfw": 0.9])
        let id = try await fixture.upload()
        #expect(try await fixture.verdict(of: id) == .pending)
        #expect(try await fixture.jobs().map(\.file) == [id])
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .rejected)
        let decision = try #require(try await fixture.decision(about: id))
        #expect(decision.kind == .machine)
        #expect(decision.checker == "scripted")
        #expect(decision.scores == ["nsfw": 0.9])
        #expect(try await fixture.jobs().isEmpty)
        #expect(try await fixture.machineDecisions(about: id).map(\.verdict) == [.rejected])
    }

    @Test("Without `auto` nothing is queued")
    func off() async throws {
        let fixture = try await CensorFixture()
        let id = try await fixture.upload()
        #expect(try await fixture.verdict(of: id) == nil)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("A job that is leased is not done by another worker until the lease ends")
    func leases() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        fixture.checker.during { [queue = fixture.queue] in
            // In the middle of the check, another worker finds nothing.
            let found = try await queue.step()
            #expect(!found)
        }
        try await fixture.work()
        #expect(try await fixture.machineDecisions(about: id).count == 1)
    }

    @Test("A worker whose lease ended decides nothing: the one that took over has decided")
    func lostLease() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        let isFirst = Counter()
        fixture.checker.during { [fixture] in
            guard isFirst.next() == 0 else { return }
            fixture.clock.advance(seconds: 24 * 3600)
            fixture.checker.say(.passed)
            let found = try await fixture.queue.step()
            #expect(found)
        }
        fixture.checker.say(.rejected)
        try await fixture.work()
        #expect(fixture.checker.seen.count == 2)
        #expect(try await fixture.machineDecisions(about: id).map(\.verdict) == [.passed])
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("After a restart, leased jobs are due at once")
    func recovers() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        let now = fixture.clock.now
        _ = try await fixture.store.write { try $0.lease(as: "dead", at: now, until: now.adding(seconds: 3600)) }
        #expect(try await fixture.work() == 0)
        try await fixture.queue.recover()
        #expect(try await fixture.work() == 1)
        #expect(try await fixture.verdict(of: id) == .passed)
    }

    @Test("A failed check is tried again after a growing pause; a person decides after the last attempt")
    func retries() async throws {
        var limits = CheckLimits()
        limits.attempts = 3
        let fixture = try await CensorFixture(limits)
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.fail(ServiceError(.timedOut, "The model takes too long."))
        let id = try await fixture.upload()
        try await fixture.work()
        #expect(fixture.checker.seen.count == 1)
        let first = try #require(try await fixture.jobs().first)
        #expect(first.due.milliseconds - fixture.clock.now.milliseconds == 5_000)
        fixture.clock.advance(seconds: 5)
        try await fixture.work()
        let second = try #require(try await fixture.jobs().first)
        #expect(second.due.milliseconds - fixture.clock.now.milliseconds == 20_000)
        #expect(try await fixture.verdict(of: id) == .pending)
        fixture.clock.advance(seconds: 20)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .review)
        let reason = try #require(try await fixture.decision(about: id)?.reason)
        #expect(reason == "The check failed 3 times: The model takes too long.")
    }

    @Test("A busy server is no failed attempt")
    func busy() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.fail(ServiceError(.overloaded, "Too many images wait."))
        try await fixture.upload()
        for _ in 0..<10 {
            try await fixture.work()
            fixture.clock.advance(seconds: 2)
        }
        #expect(try await fixture.jobs().map(\.attempts) == [0])
    }

    @Test("New files come before those of a bulk run")
    func order() async throws {
        let fixture = try await CensorFixture()
        let old = try await fixture.upload("a photograph", key: "own/old.jpg")
        let end = Timestamp.now().adding(seconds: 60)
        _ = try await fixture.service.startRun(
            over: (Timestamp(milliseconds: 0), end),
            rechecks: false,
            by: nil,
            as: fixture.master
        )
        try await fixture.set(["auto": .bool(true)])
        let new = try await fixture.upload("another photograph", key: "own/new.jpg")
        try await fixture.work()
        #expect(fixture.checker.seen == [new, old])
    }

    @Test("The job of a file that was deleted meanwhile ends without a decision")
    func deleted() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        fixture.checker.during { [store = fixture.store] in
            try await store.write { _ = try $0.delete(id, in: .file) }
        }
        try await fixture.work()
        #expect(try await fixture.jobs().isEmpty)
        #expect(try await fixture.store.read { try $0.count(CensorJob.isOf(file: id), in: .censorLog) } == 0)
    }

    @Test("A file that is no image goes to a person at once, with the reason")
    func notAnImage() async throws {
        let fixture = try await CensorFixture(checkers: [ClassifierChecker(ScriptedClassifier())])
        try await fixture.set(["auto": .bool(true)])
        let origin = try await fixture.images.file("no image", as: nil, key: "own/broken.jpg")
        let key = try #require(FileKey(origin.source))
        try await fixture.work()
        let record = try #require(try await FileRecords(fixture.store).file(key: key))
        #expect(record.verdict == .review)
        #expect(try await fixture.decision(about: record.id)?.reason?.contains("no image") == true)
    }
}
