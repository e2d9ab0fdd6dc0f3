import Testing

@testable import Domain

/// How many SMS an app sends (docs/accounts.md).
@Suite struct SMSAllowanceTests {
    private let clock = ManualClock()
    private let app: AppID

    init() throws {
        app = try #require(AppID("app"))
    }

    private func allowance(minute: Int = 0, day: Int = 0, client: Int = 0, app: Int = 0) -> MessageAllowance {
        var limits = SMSSettings.Limits()
        (limits.perMinute, limits.perDay, limits.perClient, limits.perApp) = (minute, day, client, app)
        return SMSAllowance(limits) { [clock] in clock.now }.messages
    }

    private func guest(_ address: String = "192.0.2.1") -> Caller { Caller(app: app, address: address) }

    /// The setting that refuses an SMS; `nil` if none does.
    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            let error = error as? ServiceError
            #expect(error?.code == .tooManySMS)
            #expect((error?.retryAfter ?? 0) > 0)
            return error?.limit ?? "no limit"
        }
    }

    @Test("a number gets one SMS in a minute and ten in a day, from any client")
    func number() throws {
        let allowance = allowance(minute: 1, day: 10)
        for index in 0..<10 {
            try allowance.take(to: "+1", by: guest("192.0.2.\(index)"))
            #expect(refusal { try allowance.take(to: "+1", by: guest()) } == "sms.maxPerMinute")
            clock.pass(60)
        }
        #expect(refusal { try allowance.take(to: "+1", by: guest()) } == "sms.maxPerDay")
        #expect(refusal { try allowance.take(to: "+2", by: guest()) } == nil)
        clock.pass(86_400)
        #expect(refusal { try allowance.take(to: "+1", by: guest()) } == nil)
    }

    @Test("a refusal by the day uses up no allowance of the minute, the client or the app")
    func nothingUsed() throws {
        let allowance = allowance(minute: 1, day: 1, client: 2, app: 2)
        try allowance.take(to: "+1", by: guest())
        clock.pass(60)
        for _ in 0..<3 { #expect(refusal { try allowance.take(to: "+1", by: guest()) } == "sms.maxPerDay") }
        #expect(refusal { try allowance.take(to: "+2", by: guest()) } == nil)
    }

    @Test("clients at one address cause their allowance of SMS to all numbers together")
    func client() throws {
        let allowance = allowance(client: 1)
        try allowance.take(to: "+1", by: guest())
        #expect(refusal { try allowance.take(to: "+2", by: guest()) } == "sms.maxPerClient")
        #expect(refusal { try allowance.take(to: "+2", by: guest("192.0.2.2")) } == nil)
    }

    @Test("an app sends its allowance, and the master key has no limit")
    func appTogether() throws {
        let allowance = allowance(app: 1)
        let master = Caller(app: app, isMaster: true, address: "192.0.2.1")
        for _ in 0..<3 { try allowance.take(to: "+1", by: master) }
        try allowance.take(to: "+1", by: guest())
        #expect(refusal { try allowance.take(to: "+2", by: guest("192.0.2.2")) } == "sms.maxPerApp")
    }

    @Test("an SMS that is not sent counts for its client, and for its number where unknown ones are hidden")
    func unsent() throws {
        for hides in [false, true] {
            let allowance = allowance(minute: 1, client: 1, app: 1)
            try allowance.take(to: "+1", by: guest())
            allowance.giveBackUnsent(to: "+1", by: guest(), hides: hides)
            #expect(refusal { try allowance.take(to: "+2", by: guest()) } == "sms.maxPerClient")
            let other = guest("192.0.2.2")
            #expect(refusal { try allowance.take(to: "+1", by: other) } == (hides ? "sms.maxPerMinute" : nil))
        }
    }
}
