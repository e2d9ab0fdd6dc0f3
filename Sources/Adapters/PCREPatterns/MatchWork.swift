internal import CPCRE
internal import Domain

/// The remaining work and time of one call of `pcre2_match`.
///
/// PCRE2's own limits count backtracking from one starting offset and restart at the next one; a long subject has many.
/// They do not count the length of subject that one step reads. Expressions are therefore compiled with automatic
/// callouts (`PCRE2_AUTO_CALLOUT`): PCRE2 calls back before each item that it tries, and stops if the callback says so
/// (pcre2callout).
struct MatchWork {
    private var steps: Int
    private let budget: QueryBudget?
    /// Steps between two checks of the clock, because one step can read the whole subject.
    private let interval: Int
    private var untilCheck: Int
    /// The offset in bytes of the subject at which the last step began.
    private var position = 0
    /// The reason for which the match was stopped; `nil` while it runs.
    private(set) var failure: Failure?

    /// The number of subject bytes that cost as much time as one step.
    private static let bytesOfStep = 32

    enum Failure {
        case tooManySteps
        case budget(any Error)
    }

    init(steps: Int, subject length: Int, within budget: QueryBudget?) {
        self.steps = steps
        self.budget = budget
        interval = max(1, 256 / (1 + length / 256))
        untilCheck = interval
    }

    /// Counts a step and the bytes that the previous step read; returns PCRE2's code to continue or to stop.
    mutating func step(at position: Int) -> CInt {
        steps -= 1 + abs(position - self.position) / MatchWork.bytesOfStep
        self.position = position
        guard steps >= 0 else {
            failure = .tooManySteps
            return PCRE2_ERROR_CALLOUT
        }
        untilCheck -= 1
        guard untilCheck == 0 else { return 0 }
        untilCheck = interval
        do {
            try budget?.check()
            return 0
        } catch {
            failure = .budget(error)
            return PCRE2_ERROR_CALLOUT
        }
    }
}
