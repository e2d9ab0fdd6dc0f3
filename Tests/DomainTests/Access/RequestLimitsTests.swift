import Testing

@testable import Domain

@Suite struct RequestLimitsTests {
    private let clock = ManualClock()
    private let app: AppID
    private let other: AppID
    private let ids = ObjectIDGenerator()

    init() throws {
        app = try #require(AppID("app"))
        other = try #require(AppID("other"))
    }

    private func limits(_ change: (inout RequestLimits.Settings) -> Void) -> RequestLimits {
        var settings = RequestLimits.Settings()
        (settings.requests, settings.userRequests, settings.appRequests) = (0, 0, 0)
        (settings.uploads, settings.logIns, settings.fetches, settings.imageWork) = (0, 0, 0, 0)
        change(&settings)
        return RequestLimits(settings) { [clock] in clock.now }
    }

    private func guest(_ address: String, in app: AppID? = nil) -> Caller {
        Caller(app: app ?? self.app, address: address)
    }

    private func user(_ address: String) -> Caller {
        guest(address).logged(in: Caller.User(id: ids.next(), session: ids.next()))
    }

    private func master(_ address: String) -> Caller {
        Caller(app: app, isMaster: true, address: address)
    }

    /// How many of many calls are let through.
    private func taken(of count: Int = 20, _ body: () throws -> Void) -> Int {
        (0..<count).count { _ in (try? body()) != nil }
    }

    /// Each limit by address: its setting, and what counts for it.
    struct AddressLimit: Sendable, CustomStringConvertible {
        let name: String
        let set: @Sendable (inout RequestLimits.Settings) -> Void
        let take: @Sendable (RequestLimits, Caller) throws -> Void
        var description: String { name }
    }

    static let addressLimits = [
        AddressLimit(name: "requests", set: { $0.requests = 3 }, take: { try $0.takeRequest(by: $1) }),
        AddressLimit(name: "uploads", set: { $0.uploads = 3 }, take: { try $0.takeUpload(by: $1) }),
        AddressLimit(name: "logIns", set: { $0.logIns = 3 }, take: { try $0.takeLogIn(by: $1) }),
        AddressLimit(name: "fetches", set: { $0.fetches = 3 }, take: { try $0.takeFetch(by: $1) }),
        AddressLimit(
            name: "imageWork",
            set: { $0.imageWork = 3000 },
            take: { try $0.takeImageWork(.seconds(1), from: $1.isMaster ? nil : $1.address) }
        ),
    ]

    @Test("guests and users at one address share its limit, and the master key has none", arguments: addressLimits)
    func address(_ limit: AddressLimit) throws {
        let limits = limits(limit.set)
        #expect(taken { try limit.take(limits, guest("10.0.0.1")) } == 3)
        #expect(taken { try limit.take(limits, user("10.0.0.1")) } == 0)
        #expect(taken { try limit.take(limits, guest("10.0.0.1", in: other)) } == 0)
        #expect(taken { try limit.take(limits, master("10.0.0.1")) } == 20)
        #expect(taken { try limit.take(limits, guest("10.0.0.2")) } == 3)
        clock.pass(20)
        #expect(taken { try limit.take(limits, guest("10.0.0.1")) } == 1)
        clock.pass(3600)
        #expect(taken { try limit.take(limits, guest("10.0.0.1")) } == 3)
    }

    @Test("the refusal names the setting and the seconds to wait", arguments: addressLimits)
    func refusal(_ limit: AddressLimit) throws {
        let limits = limits(limit.set)
        let error = try #require(throws: ServiceError.self) {
            for _ in 0..<4 { try limit.take(limits, guest("10.0.0.1")) }
        }
        #expect(error.code == .overloaded)
        #expect(error.retryAfter == 20)
        #expect(error.message.hasSuffix("the limit for one minute (limits.\(limit.name)); try again in 20 seconds."))
    }

    @Test("a check before a call counts nothing, and is refused when the address has reached its limit")
    func check() throws {
        let limits = limits { $0.requests = 3 }
        #expect(taken { try limits.requireRequest(by: guest("10.0.0.1")) } == 20)
        #expect(taken { try limits.takeRequest(by: guest("10.0.0.1")) } == 3)
        #expect(taken { try limits.requireRequest(by: guest("10.0.0.1")) } == 0)
        #expect(taken { try limits.requireRequest(by: guest("10.0.0.2")) } == 20)
        #expect(taken { try limits.requireRequest(by: master("10.0.0.1")) } == 20)
    }

    @Test("exempt networks and unknown addresses have no limit by address", arguments: addressLimits)
    func exempt(_ limit: AddressLimit) {
        let limits = limits(limit.set)
        // The address ::1 counts by its network.
        for address in ["127.0.0.1", "127.9.9.9", "0:0:0:0:0:0:0:0", ""] {
            #expect(taken { try limit.take(limits, guest(address)) } == 20, "\(address)")
        }
        #expect(taken { try limit.take(limits, guest("2001:db8:0:0:0:0:0:0")) } == 3)
        let everyone = self.limits { settings in
            limit.set(&settings)
            settings.exempt = []
        }
        #expect(taken { try limit.take(everyone, guest("127.0.0.1")) } == 3)
    }

    @Test("a user has a limit from all addresses, also exempt ones")
    func users() {
        let limits = limits { $0.userRequests = 5 }
        let (user, other) = (user("10.0.0.1"), user("10.0.0.1"))
        #expect(taken(of: 3) { try limits.takeRequest(by: user) } == 3)
        #expect(taken { try limits.takeRequest(by: user.at(address: "127.0.0.1")) } == 2)
        #expect(taken { try limits.takeRequest(by: other) } == 5)
        #expect(taken { try limits.takeRequest(by: guest("10.0.0.1")) } == 20)
    }

    @Test("guests and users of an app share its limit, other apps do not")
    func apps() {
        let limits = limits { $0.appRequests = 5 }
        #expect(taken(of: 2) { try limits.takeRequest(by: guest("10.0.0.1")) } == 2)
        #expect(taken { try limits.takeRequest(by: user("10.0.0.2")) } == 3)
        #expect(taken { try limits.takeRequest(by: guest("10.0.0.3", in: other)) } == 5)
        #expect(taken { try limits.takeRequest(by: master("10.0.0.1")) } == 20)
    }

    @Test("one image that is larger than the limit runs if nothing else did, and the next ones wait for longer")
    func large() throws {
        let limits = limits { $0.imageWork = 1000 }
        try limits.takeImageWork(.seconds(5), from: "10.0.0.1")
        clock.pass(239)
        #expect(throws: ServiceError.self) { try limits.takeImageWork(.milliseconds(1), from: "10.0.0.1") }
        clock.pass(2)
        try limits.takeImageWork(.milliseconds(1), from: "10.0.0.1")
        #expect(throws: ServiceError.self) { try limits.takeImageWork(.seconds(5), from: "10.0.0.1") }
    }

    @Test("without limits everything is let through")
    func none() {
        let limits = limits { _ in }
        #expect(taken(of: 1000) { try limits.takeRequest(by: guest("10.0.0.1")) } == 1000)
    }
}
