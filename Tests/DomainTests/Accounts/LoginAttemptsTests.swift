import Domain
import Synchronization
import Testing

@Suite struct LoginAttemptsTests {
    /// A clock that a test moves.
    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(0)

        func pass(_ more: Int64) { seconds.withLock { $0 += more } }

        var now: Timestamp { Timestamp(milliseconds: seconds.withLock { $0 } * 1000) }
    }

    private let clock = Clock()
    private let attempts: LoginAttempts

    init() {
        attempts = LoginAttempts(allowed: 6, seconds: 900) { [clock] in clock.now }
    }

    private func fail(_ times: Int) throws {
        for _ in 0..<times { try attempts.record("ann", isRight: false) }
    }

    private var isLocked: Bool {
        do {
            try attempts.requireOpen("ann")
            return false
        } catch {
            return true
        }
    }

    @Test("the allowed number of failures does not lock, one more does")
    func limit() throws {
        try fail(6)
        #expect(!isLocked)
        try fail(1)
        #expect(isLocked)
    }

    @Test("a right guess that was under way when the name was locked is refused")
    func underWay() throws {
        try fail(7)
        let error = #expect(throws: ServiceError.self) { try attempts.record("ann", isRight: true) }
        #expect(error?.code == .lockedOut)
    }

    @Test("a lock ends a quarter of an hour after the last failure")
    func end() throws {
        try fail(7)
        clock.pass(899)
        #expect(isLocked)
        clock.pass(1)
        #expect(!isLocked)
    }

    @Test("failures that are further apart do not lock")
    func slow() throws {
        for _ in 0..<20 {
            try fail(1)
            clock.pass(150)
        }
        #expect(!isLocked)
    }

    @Test("a success, and a new password, forget the failures before")
    func forgets() throws {
        try fail(6)
        try attempts.record("ann", isRight: true)
        try fail(6)
        #expect(!isLocked)
        try fail(1)
        attempts.forget("ann")
        #expect(!isLocked)
    }

    @Test("names are counted apart, and many others do not push a failure out")
    func others() throws {
        try fail(7)
        for number in 0..<40_000 { try attempts.record("other\(number)", isRight: false) }
        #expect(isLocked)
        try attempts.requireOpen("other1")
    }
}
