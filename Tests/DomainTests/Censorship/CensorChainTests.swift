import NIOCore
import Support
import Testing

@testable import Domain

@Suite("The chain of checkers")
struct CensorChainTests {
    private static let image = CheckedImage(
        id: ObjectID("6b017ba12dd266ba0b930c5d") ?? ObjectIDGenerator().next(),
        name: "a.jpg",
        mediaType: "image/jpeg",
        size: 3,
        digest: String(repeating: "a", count: 64),
        samples: [ImageSample(pixels: ByteBuffer(), hash: PerceptualHash(words: .zero, quality: 100))]
    )

    @Test(
        "The classifier passes below one threshold and rejects above the other",
        arguments: [
            (scores: [0.0], Verdict.passed), ([0.1999], .passed), ([0.2], .review), ([0.8], .review),
            ([0.8001], .rejected), ([1], .rejected), ([0.1, 0.1, 0.9, 0.1], .rejected), ([0.1, 0.3], .review),
        ]
    )
    func thresholds(_ scores: [Double], _ verdict: Verdict) async throws {
        let classifier = ScriptedClassifier()
        classifier.say(scores)
        let result = try await ClassifierChecker(classifier).check(Self.image, under: CensorSettings())
        guard case .opinion(let opinion) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(opinion.verdict == verdict)
        #expect(opinion.scores["nsfw"] == scores.max())
    }

    @Test("A classifier without a model has no opinion, and says why")
    func noModel() async throws {
        let classifier = ScriptedClassifier()
        classifier.fail(ServiceError(.notAvailable, "There is no model."))
        let result = try await ClassifierChecker(classifier).check(Self.image, under: CensorSettings())
        #expect(result == .none("There is no model."))
    }

    private struct Case: Sendable, CustomTestStringConvertible {
        let says: [CheckResult]
        let verdict: Verdict?
        let asked: Int
        let testDescription: String
    }

    private static let cases = [
        Case(says: [.none(nil), .none("off")], verdict: .review, asked: 2, testDescription: "no opinion"),
        Case(
            says: [.opinion(Opinion(.passed)), .none(nil)],
            verdict: .passed,
            asked: 2,
            testDescription: "first only"
        ),
        Case(
            says: [.opinion(Opinion(.review)), .opinion(Opinion(.passed))],
            verdict: .passed,
            asked: 2,
            testDescription: "last opinion"
        ),
        Case(
            says: [.opinion(Opinion(.rejected)), .opinion(Opinion(.passed))],
            verdict: .rejected,
            asked: 1,
            testDescription: "rejection ends"
        ),
        Case(
            says: [.opinion(Opinion(.passed)), .opinion(Opinion(.rejected))],
            verdict: .rejected,
            asked: 2,
            testDescription: "rejection by the last"
        ),
        Case(says: [.opinion(Opinion(.passed)), .later], verdict: .pending, asked: 2, testDescription: "waits"),
    ]

    @Test(
        "A rejection ends the chain; otherwise the last opinion counts; without one a person decides",
        arguments: cases
    )
    private func chain(_ scene: Case) async throws {
        let checkers = scene.says.map { result in
            let checker = ScriptedChecker()
            checker.answer(result)
            return checker
        }
        let fixture = try await CensorFixture(checkers: checkers)
        try await fixture.set(["auto": .bool(true)])
        let id = try await fixture.upload()
        try await fixture.work()
        #expect(try await fixture.verdict(of: id) == scene.verdict)
        #expect(checkers.count { !$0.seen.isEmpty } == scene.asked)
    }

    @Test(
        "An animation of which only the first frame can be read goes to a person, unless a checker rejects it",
        arguments: [(Verdict.passed, Verdict.review), (.review, .review), (.rejected, .rejected)]
    )
    func unreadFrames(_ said: Verdict, _ verdict: Verdict) async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.say(said, scores: ["nsfw": 0.1])
        var header = photoHeader
        header.hasUnreadFrames = true
        let origin = try await fixture.images.file("an animation", as: header, key: "own/a.png")
        let key = try #require(FileKey(origin.source))
        try await fixture.work()
        let record = try #require(try await FileRecords(fixture.store).file(key: key))
        #expect(record.verdict == verdict)
        #expect(try await fixture.decision(about: record.id)?.scores == ["nsfw": 0.1])
    }

    @Test("A checker over its time is stopped, and the check is tried again")
    func timeLimit() async throws {
        var limits = CheckLimits()
        limits.timeout = 0
        let fixture = try await CensorFixture(limits)
        try await fixture.set(["auto": .bool(true)])
        fixture.checker.during { try await Task.sleep(for: .seconds(600)) }
        try await fixture.upload()
        try await fixture.work()
        #expect(try await fixture.jobs().map(\.attempts) == [1])
    }
}
