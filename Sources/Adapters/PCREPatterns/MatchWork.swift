internal import CPCRE
internal import Domain

/// What one call of `pcre2_match` has left to spend.
///
/// PCRE2's own limits count backtracking from one starting offset, and begin anew at the next one, of which a long
/// subject has many; nor do they count how far one step looks. So expressions are compiled with automatic callouts
/// (`PCRE2_AUTO_CALLOUT`): PCRE2 calls before each item that it tries, and can be told to stop (pcre2callout).
struct MatchWork {
    private var steps: Int
    private let budget: QueryBudget?
    /// How many steps there are from one look at the clock to the next: one step may look at all of the subject.
    private let interval: Int
    private var untilCheck: Int
    /// Where the last step began, in bytes of the subject.
    private var position = 0
    /// Why the match was stopped; `nil` as long as it goes on.
    private(set) var failure: Failure?

    /// So many bytes are looked at in the time that another step takes.
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

    /// Counts a step, and what the one before it looked at; returns what PCRE2 takes for going on or for stopping.
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
