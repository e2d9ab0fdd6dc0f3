/// How many files have which score, by hundredths.
///
/// Thresholds are compared with scores exactly, so a score that is a whole number of hundredths is counted apart from
/// those above it.
package struct ScoreCounts: Sendable, Hashable {
    /// The files of one hundredth.
    package struct Step: Sendable, Hashable {
        /// The files whose score is this hundredth.
        package var equal = 0
        /// The files whose score is greater, and less than the next hundredth.
        package var above = 0
    }

    /// The files by the hundredth, 0 to 100; hundredths without files are absent.
    package private(set) var steps: [Int: Step] = [:]

    /// Creates counts of no file.
    package init() {}

    /// Counts a file; scores have four decimals, and those beyond 0 and 1 count as 0 and 1.
    package mutating func add(_ score: Double) {
        let fine = Int((min(1, max(0, score)) * 10_000).rounded())
        if fine.isMultiple(of: 100) {
            steps[fine / 100, default: Step()].equal += 1
        } else {
            steps[fine / 100, default: Step()].above += 1
        }
    }

    /// The members of the API, the smallest score first.
    package var members: [JSONValue] {
        steps.sorted { $0.key < $1.key }.map { hundredth, step in
            .object([
                "score": .number(Double(hundredth) / 100), "equal": .integer(Int64(step.equal)),
                "above": .integer(Int64(step.above)),
            ])
        }
    }
}
