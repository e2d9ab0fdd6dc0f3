import Domain
import Testing

@testable import Storage

@Suite struct RetentionRulesTests {
    /// Rules, the times of snapshots with a `!` at those with damage, and the times that stay.
    struct Case: CustomTestStringConvertible {
        let rules: RetentionRules
        let snapshots: String
        let kept: String
        let testDescription: String

        init(
            _ name: String,
            last: Int = 0,
            daily: Int = 0,
            weekly: Int = 0,
            monthly: Int = 0,
            _ snapshots: String,
            keeps kept: String
        ) {
            testDescription = name
            var rules = RetentionRules()
            rules.last = last
            rules.daily = daily
            rules.weekly = weekly
            rules.monthly = monthly
            self.rules = rules
            self.snapshots = snapshots
            self.kept = kept
        }
    }

    static let cases = [
        Case("the newest always stays", daily: 1, "01-01T03 01-01T04", keeps: "01-01T04"),
        Case("no snapshots", daily: 7, "", keeps: ""),
        Case("the newest n", last: 2, "01-01T01 01-01T02 01-01T03", keeps: "01-01T02 01-01T03"),
        Case("n is more than there are", last: 9, "01-01T01 01-01T02", keeps: "01-01T01 01-01T02"),
        Case(
            "the newest of each day, days without snapshots do not count",
            daily: 2,
            "01-01T01 01-02T01 01-02T02 01-09T01 01-09T05",
            keeps: "01-02T02 01-09T05"
        ),
        Case(
            "the oldest stays while a rule has found fewer days than it may keep",
            daily: 3,
            "01-01T01 01-01T02 01-02T01 01-02T02",
            keeps: "01-01T01 01-01T02 01-02T02"
        ),
        // 2027-01-04 is a Monday.
        Case("weeks begin on Monday", weekly: 2, "01-01T01 01-03T23 01-04T00 01-10T23", keeps: "01-03T23 01-10T23"),
        Case("months", monthly: 2, "01-01T01 01-31T23 02-01T00 02-28T12", keeps: "01-31T23 02-28T12"),
        Case(
            "a snapshot stays if one rule keeps it",
            daily: 2,
            weekly: 2,
            "01-01T01 01-03T01 01-08T01 01-09T01",
            keeps: "01-03T01 01-08T01 01-09T01"
        ),
        Case(
            "the newest without damage stays",
            last: 1,
            "01-01T01 01-02T01 01-03T01! 01-04T01!",
            keeps: "01-02T01 01-04T01"
        ),
    ]

    @Test("the rules keep", arguments: cases)
    func rules(_ one: Case) throws {
        let snapshots = try one.snapshots.split(separator: " ").map { text in
            (time: try time(text.filter { $0 != "!" }), isComplete: !text.hasSuffix("!"))
        }
        let kept = try Set(one.kept.split(separator: " ").map { try time(String($0)) })
        let result = one.rules.kept(of: snapshots.shuffled())
        #expect(result == kept)
    }

    @Test("without a rule for snapshots, all of them stay")
    func momentsOnly() throws {
        var rules = RetentionRules()
        rules.moments = 1
        let times = try ["01-01T01", "01-01T02"].map { try time($0) }
        let result = rules.kept(of: times.map { ($0, true) })
        #expect(result == Set(times))
        #expect(!rules.isEmpty)
        #expect(RetentionRules().isEmpty)
    }

    /// Days of moments, the times of generations, and those that stay on 31 January at 0:00.
    ///
    /// Behind a `/` is the time of the first segment, or `-` if there is none; otherwise it is the time of the base.
    static let generations: [(days: Int64?, generations: String, kept: String)] = [
        (1, "", ""),
        (1, "01-01T00", "01-01T00"),
        (1, "01-01T00 01-02T00", "01-02T00"),
        // The moments until the next one begins are those of the one before.
        (1, "01-28T00 01-29T00 01-30T01", "01-29T00 01-30T01"),
        (1, "01-29T00 01-30T00 01-30T01", "01-30T00 01-30T01"),
        (nil, "01-20T00 01-23T00 01-24T00 01-25T00", "01-24T00 01-25T00"),
        (365, "01-20T00 01-24T00", "01-20T00 01-24T00"),
        // Only the one before has the moments in which the base was stored.
        (1, "01-28T00 01-29T00/01-30T01", "01-28T00 01-29T00"),
        (1, "01-28T00 01-29T00/01-30T00", "01-29T00"),
        (1, "01-28T00 01-29T00/- 01-30T01", "01-28T00 01-29T00 01-30T01"),
        (1, "01-27T00 01-28T00/- 01-29T00/01-30T01", "01-28T00 01-29T00"),
        (1, "01-28T00 01-29T00/-", "01-28T00 01-29T00"),
        // The clock was set back behind the base.
        (1, "01-29T00 01-30T01/01-29T12", "01-29T00 01-30T01"),
    ]

    @Test("the generations of the moments to keep stay, and the newest", arguments: generations)
    func keptGenerations(_ days: Int64?, _ times: String, _ kept: String) throws {
        var rules = RetentionRules()
        rules.moments = days.map { $0 * 86_400 }
        let generations = try times.split(separator: " ").map { text in
            let parts = text.split(separator: "/").map { String($0) }
            let first: Timestamp? = try parts.last == "-" ? nil : time(parts[parts.count - 1])
            return (begin: try time(parts[0]), firstSegment: first)
        }
        let result = rules.kept(ofGenerations: generations.shuffled(), now: try time("01-31T00"))
        let expected = try kept.split(separator: " ").map { try time(String($0)) }
        #expect(result == Set(expected))
    }

    private func time(_ text: String) throws -> Timestamp {
        try #require(Timestamp(iso8601: "2027-\(text):00:00.000Z"))
    }
}
