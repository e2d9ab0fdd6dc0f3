import Testing

@testable import Domain

@Suite struct RateLimitTests {
    private let clock = ManualClock()
    private let app: AppID

    init() throws {
        app = try #require(AppID("app"))
    }

    private func rate(_ limit: Int) -> RateLimit<CallerIdentity> {
        .signUps(limit) { [clock] in clock.now }
    }

    private func guest(_ address: String) -> Caller { Caller(app: app, address: address) }

    /// How many of many sign-ups are let through.
    private func taken(from rate: RateLimit<CallerIdentity>, by caller: Caller, of count: Int = 20) -> Int {
        (0..<count).count { _ in (try? rate.take(for: caller)) != nil }
    }

    @Test("an address makes as many users as the limit says, each address its own")
    func limit() {
        let rate = rate(7)
        for address in ["10.0.0.1", "10.0.0.2", "2001:db8:0:0:0:0:0:0"] {
            #expect(taken(from: rate, by: guest(address)) == 7)
            #expect(throws: ServiceError.self) { try rate.require(for: guest(address)) }
        }
    }

    @Test("the allowance comes back evenly over an hour, and never grows beyond the limit")
    func comesBack() {
        let rate = rate(10)
        #expect(taken(from: rate, by: guest("a")) == 10)
        clock.pass(359)
        #expect(taken(from: rate, by: guest("a")) == 0)
        clock.pass(1)
        #expect(taken(from: rate, by: guest("a")) == 1)
        clock.pass(3 * 360)
        #expect(taken(from: rate, by: guest("a")) == 3)
        clock.pass(86_400)
        #expect(taken(from: rate, by: guest("a")) == 10)
    }

    @Test("users share the allowance of their address, because a client may have any number of them")
    func users() throws {
        let rate = rate(2)
        let ids = ObjectIDGenerator()
        for _ in 0..<2 { try rate.take(for: guest("a").logged(in: Caller.User(id: ids.next(), session: ids.next()))) }
        #expect(taken(from: rate, by: guest("a")) == 0)
    }

    @Test("the master key has no limit, and takes nothing of an address's")
    func master() {
        let rate = rate(1)
        #expect(taken(from: rate, by: Caller(app: app, isMaster: true, address: "a")) == 20)
        #expect(taken(from: rate, by: guest("a")) == 1)
    }

    @Test("0 is no limit")
    func off() {
        #expect(taken(from: rate(0), by: guest("a"), of: 1000) == 1000)
    }

    @Test("asking first takes nothing")
    func requiring() throws {
        let rate = rate(1)
        for _ in 0..<5 { try rate.require(for: guest("a")) }
        #expect(taken(from: rate, by: guest("a")) == 1)
    }

    @Test(
        "the refusal names the setting and tells when to come back",
        arguments: [(1, 0, 3600), (100, 6, 30), (7, 514, 1)]
    )
    func refusal(limit: Int, passed: Int, wait: Int) throws {
        let rate = rate(limit)
        for _ in 0..<limit { try rate.take(for: guest("a")) }
        clock.pass(passed)
        let error = try #require(throws: ServiceError.self) { try rate.take(for: guest("a")) }
        #expect(error.code == .overloaded)
        #expect(error.message.contains("accounts.maxSignUps"))
        #expect(error.retryAfter == wait)
        clock.pass(wait)
        try rate.take(for: guest("a"))
    }

    @Test("what the runs of one transaction took before the last counts for nothing")
    func runs() throws {
        let rate = rate(3)
        let signUps = SignUps(rate)
        for _ in 0..<5 {
            signUps.startOver()
            for _ in 0..<2 { try signUps.take(for: guest("a")) }
        }
        #expect(taken(from: rate, by: guest("a")) == 1)
        signUps.startOver()
        #expect(taken(from: rate, by: guest("a")) == 2)
        signUps.startOver()
        #expect(taken(from: rate, by: guest("a")) == 0)
    }

    @Test("memory is bounded: addresses that were not seen for longest are forgotten")
    func forgotten() {
        let rate = rate(1)
        #expect(taken(from: rate, by: guest("a"), of: 2) == 1)
        for number in 0..<100_000 { try? rate.take(for: guest("10.\(number)")) }
        #expect(taken(from: rate, by: guest("10.99999"), of: 2) == 0)
        #expect(taken(from: rate, by: guest("a"), of: 2) == 1)
    }
}
