import Support
import Testing

@testable import Domain

@Suite("A verdict of a person that is taken back")
struct TakenBackVerdictTests {
    private func takeBack(_ id: ObjectID, _ fixture: CensorFixture) async throws -> Verdict? {
        _ = try await fixture.service.takeBack(id, by: "alice", as: fixture.master)
        return try await fixture.verdict(of: id)
    }

    @Test("The last decision of a checker is in force again, with its scores", arguments: [Verdict.passed, .rejected])
    func restores(_ verdict: Verdict) async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        fixture.checker.say(.review, scores: ["nsfw": 0.5])
        try await fixture.work()
        let before = try await fixture.decision(about: id)
        _ = try await fixture.service.decide(verdict, about: id, note: nil, by: nil, as: fixture.master)
        #expect(try await takeBack(id, fixture) == .review)
        #expect(try await fixture.decision(about: id) == before)
    }

    @Test("The log has both changes, the newest first, by the person who made it")
    func logged() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        fixture.checker.say(.review)
        try await fixture.work()
        _ = try await fixture.service.decide(.rejected, about: id, note: nil, by: "bob", as: fixture.master)
        _ = try await takeBack(id, fixture)
        let history = try #require(try await fixture.service.state(of: id, as: fixture.master).history)
        #expect(history.map(\.verdict) == [.review, .rejected, .review])
        #expect(history.map(\.by) == ["alice", "bob", nil])
    }

    @Test("A file that no checker has seen is checked as a new one")
    func unseen() async throws {
        let fixture = try await CensorFixture()
        let id = try await fixture.upload()
        _ = try await fixture.service.decide(.rejected, about: id, note: nil, by: nil, as: fixture.master)
        try await fixture.work()
        #expect(try await takeBack(id, fixture) == .pending)
        fixture.checker.say(.passed)
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == .passed)
        #expect(try await fixture.jobs().isEmpty)
    }

    @Test("Copies of an image that was blocked by mistake are not rejected any more")
    func unlearned() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let first = try await fixture.upload("a photograph", key: "own/a.jpg")
        try await fixture.work()
        _ = try await fixture.service.decide(.rejected, about: first, note: nil, by: nil, as: fixture.master)
        try await fixture.work()
        _ = try await takeBack(first, fixture)
        let copy = try await fixture.upload("a photograph", key: "own/b.jpg")
        try await fixture.work()
        #expect(try await fixture.verdict(of: copy) == .passed)
    }

    @Test("Caches are told of a file that is blocked again")
    func purges() async throws {
        let fixture = try await CensorFixture(purges: true)
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        fixture.checker.say(.rejected)
        fixture.webhooks.answer(200)
        try await fixture.work()
        _ = try await fixture.service.decide(.passed, about: id, note: nil, by: nil, as: fixture.master)
        #expect(try await takeBack(id, fixture) == .rejected)
        #expect(try await fixture.jobs().map(\.work) == [.purge])
    }

    @Test("A file about which no person decided stays as it is, without an entry of the log")
    func untouched() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        try await fixture.work()
        #expect(try await takeBack(id, fixture) == .passed)
        #expect(try await fixture.service.state(of: id, as: fixture.master).history?.count == 1)
    }
}
