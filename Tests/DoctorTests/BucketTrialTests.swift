import Testing

@testable import Doctor

@Suite("What the doctor says about a bucket of blobs")
struct BucketTrialTests {
    private func trial(_ change: (inout BucketTrial) -> Void = { _ in }) -> BucketTrial {
        var trial = BucketTrial()
        (trial.roundTrip, trial.clockDifference) = (.milliseconds(5), 0)
        change(&trial)
        return trial
    }

    @Test("a bucket in which everything works has no faults")
    func sound() {
        let findings = trial().findings(of: "s3://files/lcfile")
        #expect(findings.map(\.subject) == ["bucket.rights", "bucket.lists", "bucket.latency", "bucket.clock"])
        #expect(findings.allSatisfy { $0.level == .ok })
        #expect(findings.first?.text.contains("s3://files/lcfile") == true)
    }

    @Test("a step that fails is the only finding, with its reason")
    func failure() {
        let findings = trial { $0.failure = ("write", "the keys are wrong") }.findings(of: "s3://files")
        #expect(findings.map(\.level) == [.problem])
        #expect(findings[0].text.contains("write s3://files: the keys are wrong"))
    }

    @Test("each fault changes the level of its subject")
    func faults() {
        let late = trial { $0.listsAtOnce = false }.findings(of: "s3://files")
        #expect(late.first { $0.subject == "bucket.lists" }?.level == .problem)
        let far = trial { $0.roundTrip = .milliseconds(100) }.findings(of: "s3://files")
        #expect(far.first { $0.subject == "bucket.latency" }?.level == .note)
        for (seconds, word) in [(3, "ahead of"), (-3, "behind")] as [(Int64, String)] {
            let clock = trial { $0.clockDifference = seconds }.findings(of: "s3://files").last
            #expect(clock?.level == .note && clock?.text.contains("3 s \(word)") == true)
        }
        #expect(trial { $0.clockDifference = nil }.findings(of: "s3://files").count == 3)
    }
}
