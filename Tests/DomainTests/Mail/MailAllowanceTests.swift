import Testing

@testable import Domain

/// How many mails an app sends (docs/accounts.md).
@Suite struct MailAllowanceTests {
    private let clock = ManualClock()
    private let ann: MailAddress
    private let bob: MailAddress
    private let app: AppID

    init() throws {
        app = try #require(AppID("app"))
        ann = try #require(MailAddress("ann@example.org"))
        bob = try #require(MailAddress("bob@example.org"))
    }

    private func allowance(address: Int = 100, client: Int = 100, app: Int = 100) -> MailAllowance {
        var limits = MailSettings.Limits()
        (limits.perAddress, limits.perClient, limits.perApp) = (address, client, app)
        return MailAllowance(limits) { [clock] in clock.now }
    }

    private func guest(_ address: String = "192.0.2.1") -> Caller { Caller(app: app, address: address) }

    /// The setting that refuses a mail; `nil` if none does.
    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            let error = error as? ServiceError
            #expect(error?.code == .tooManyMails)
            #expect((error?.retryAfter ?? 0) > 0)
            return error?.limit ?? "no limit"
        }
    }

    @Test("an address gets its allowance for each purpose, in any case and from any client")
    func address() throws {
        let allowance = allowance(address: 1)
        let shouted = try #require(MailAddress("ANN@Example.org"))
        try allowance.take(.verify, to: ann, by: guest())
        #expect(refusal { try allowance.take(.verify, to: shouted, by: guest("192.0.2.2")) } == "mail.maxPerAddress")
        #expect(refusal { try allowance.take(.reset, to: ann, by: guest()) } == nil)
        #expect(refusal { try allowance.take(.verify, to: bob, by: guest()) } == nil)
    }

    @Test("clients at one address cause their allowance of mails, to all addresses together")
    func client() throws {
        let allowance = allowance(client: 1)
        try allowance.take(.verify, to: ann, by: guest())
        #expect(refusal { try allowance.take(.reset, to: bob, by: guest()) } == "mail.maxPerClient")
        #expect(refusal { try allowance.take(.verify, to: ann, by: guest("192.0.2.2")) } == nil)
    }

    @Test("an app sends its allowance; a mail that it refuses uses up no other allowance")
    func appTogether() throws {
        let allowance = allowance(address: 2, client: 2, app: 1)
        try allowance.take(.verify, to: bob, by: guest("192.0.2.2"))
        for _ in 0..<3 {
            #expect(refusal { try allowance.take(.verify, to: ann, by: guest()) } == "mail.maxPerApp")
        }
        allowance.giveBack(.verify, to: bob, by: guest("192.0.2.2"))
        #expect(refusal { try allowance.take(.verify, to: ann, by: guest()) } == nil)
    }

    @Test("the master key has no limit and uses up none")
    func master() throws {
        let allowance = allowance(address: 1, client: 1, app: 1)
        let master = Caller(app: app, isMaster: true, address: "192.0.2.1")
        for _ in 0..<3 { try allowance.take(.verify, to: ann, by: master) }
        allowance.giveBack(.verify, to: ann, by: master)
        try allowance.take(.verify, to: ann, by: guest())
        #expect(refusal { try allowance.take(.verify, to: ann, by: guest()) } != nil)
    }

    @Test("an allowance refills in an hour")
    func refill() throws {
        let allowance = allowance(address: 1)
        try allowance.take(.verify, to: ann, by: guest())
        clock.pass(3599)
        #expect(refusal { try allowance.take(.verify, to: ann, by: guest()) } == "mail.maxPerAddress")
        clock.pass(1)
        #expect(refusal { try allowance.take(.verify, to: ann, by: guest()) } == nil)
    }

    @Test(
        "a mail that is not sent counts for its client, and for its address where unknown ones are hidden",
        arguments: [(false, [nil, "mail.maxPerClient"]), (true, ["mail.maxPerAddress", "mail.maxPerClient"])]
    )
    func unsent(hides: Bool, expected: [String?]) throws {
        let allowance = allowance(address: 1, client: 1, app: 1)
        try allowance.take(.reset, to: ann, by: guest())
        allowance.giveBackUnsent(.reset, to: ann, by: guest(), hides: hides)
        #expect(refusal { try allowance.take(.reset, to: bob, by: guest()) } == expected[1])
        #expect(refusal { try allowance.take(.reset, to: ann, by: guest("192.0.2.2")) } == expected[0])
    }
}
