import Support
import Testing

@testable import FileClient

@Suite struct RateLimitTests {
    @Test("bytes wait for their share of time, and pauses are not saved")
    func reserve() {
        let limit = RateLimit(perSecond: 1000)
        let start = ContinuousClock.now
        #expect(limit.reserve(500, at: start) == .milliseconds(500))
        #expect(limit.reserve(500, at: start) == .seconds(1))
        #expect(limit.reserve(100, at: start + .seconds(5)) == .milliseconds(100))
    }
}

@Suite struct ConnectionLimitTests {
    @Test("a client begins with four transfers, or its maximum", arguments: [(1, 1), (4, 4), (64, 4), (0, 1)])
    func first(maximum: Int, expected: Int) {
        #expect(ConnectionLimit(maximum: maximum).count == expected)
    }

    @Test("each round of successes allows one more, up to the maximum")
    func growth() {
        var limit = ConnectionLimit(maximum: 6)
        for _ in 0..<5 { limit.noteSuccess() }
        #expect(limit.count == 5)
        for _ in 0..<100 { limit.noteSuccess() }
        #expect(limit.count == 6)
    }

    @Test("overload halves the number once in a second, never below one")
    func overload() {
        var limit = ConnectionLimit(maximum: 64)
        let now = ContinuousClock.now
        limit.noteOverload(at: now)
        limit.noteOverload(at: now + .milliseconds(500))
        #expect(limit.count == 2)
        for second in 1...5 { limit.noteOverload(at: now + .seconds(second * 2)) }
        #expect(limit.count == 1)
    }
}
