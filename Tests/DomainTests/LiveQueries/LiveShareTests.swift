import Support
import Testing

@testable import Domain

/// What one client address, and all guests, can use of the limits of an app.
@Suite struct LiveShareTests {
    /// Runs a body that has to be refused, and checks that the message names the setting and the share.
    private func refused(_ setting: String, _ who: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == .overloaded)
        #expect(error?.limit == "liveQueries.\(setting)")
        #expect(error?.message.contains(who) == true, "\(error?.message ?? "")")
    }

    @Test("clients at one address have a quarter of the subscriptions, unless their address has no limit")
    func subscriptions() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(subscriptions: 8))
        let near = fixture.guest.at(address: "10.0.0.1")
        let id = try await fixture.subscribe(as: near, id: "a")
        try await fixture.subscribe(as: near, id: "b")
        await refused("subscriptions", "Clients at this address have 2") {
            try await fixture.subscribe(as: near, id: "c")
        }
        try await fixture.subscribe(as: near, id: "b")
        try await fixture.subscribe(as: fixture.guest.at(address: "10.0.0.2"), id: "c")
        for id in ["d", "e", "f"] { try await fixture.subscribe(as: fixture.guest.at(address: "127.0.0.1"), id: id) }
        try await fixture.live.unsubscribe(["id": "a", "query_id": .string(id.description)])
        try await fixture.subscribe(as: near, id: "a")
        // Its newest request counts it for another address.
        try await fixture.subscribe(as: fixture.guest.at(address: "10.0.0.2"), id: "a")
        try await fixture.subscribe(as: near, id: "g")
    }

    @Test("a subscription is repeated from another address only if that address can have one more")
    func repeatedElsewhere() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(subscriptions: 8))
        let (near, far) = (fixture.guest.at(address: "10.0.0.1"), fixture.guest.at(address: "10.0.0.2"))
        try await fixture.subscribe(as: far, id: "a")
        for id in ["b", "c"] { try await fixture.subscribe(as: near, id: id) }
        await refused("subscriptions", "Clients at this address have 2") {
            try await fixture.subscribe(as: near, id: "a")
        }
        for (caller, id) in [(far, "a"), (near, "b")] { try await fixture.subscribe(as: caller, id: id) }
        #expect(fixture.live.status.subscriptions == 3)
    }

    @Test("on a shared store, new subscriptions of an address take a quarter in the time that a row lives")
    func rows() async throws {
        let servers = try LiveServers(1, LiveQueryLimits(subscriptions: 8, lifetime: 600))
        let server = servers.servers[0]
        let near = server.guest.at(address: "10.0.0.1")
        for id in ["a", "b", "b"] { try await server.subscribe(as: near, id: id) }
        await refused("subscriptions", "Clients at this address") { try await server.subscribe(as: near, id: "c") }
        try await server.subscribe(as: server.guest.at(address: "10.0.0.2"), id: "c")
        server.clock.pass(600)
        try await server.subscribe(as: near, id: "d")
    }

    @Test("a WebSocket counts once, and clients at one address have a quarter of them")
    func connections() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(connections: 8))
        func attach(_ client: LiveClient, _ id: String) throws {
            _ = try fixture.live.attach(client, as: try #require(InstallationID(id)))
        }
        let first = LiveClient(at: "10.0.0.1")
        try attach(first, "a")
        for id in ["b", "c", "d"] { try attach(LiveClient(at: "10.0.0.1", on: first), id) }
        #expect(fixture.live.status.connections == 1)
        try attach(LiveClient(at: "10.0.0.1"), "e")
        await refused("connections", "Clients at this address have 2") { try attach(LiveClient(at: "10.0.0.1"), "f") }
        try attach(LiveClient(at: "10.0.0.2"), "f")
        for id in ["g", "h", "i", "j", "k"] { try attach(LiveClient(), id) }
        await refused("connections", "The app has 8") { try attach(LiveClient(), "l") }
        fixture.live.detach(first, from: try #require(InstallationID("a")))
        #expect(fixture.live.status.connections == 8)
    }

    @Test("conditions take memory: at one address a quarter, of guests together 60 %, and equal ones count once")
    func memory() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(memory: 100_000))
        let long = String(repeating: "x", count: 860)
        // Each takes a little less than 10 000 bytes.
        func subscribe(_ number: Int, _ caller: Caller, id: String = "page") async throws -> LiveQueryID {
            try await fixture.subscribe(#"{"s":"\#(number)\#(long)"}"#, as: caller, id: id)
        }
        func guest(_ number: Int) -> Caller { fixture.guest.at(address: "10.0.0.\(number)") }
        for number in 0..<2 { _ = try await subscribe(number, guest(1)) }
        await refused("memory", "clients at this address") { _ = try await subscribe(2, guest(1)) }
        _ = try await subscribe(1, guest(1), id: "other")
        for number in 2..<6 { _ = try await subscribe(number, guest(number)) }
        await refused("memory", "of guests") { _ = try await subscribe(6, guest(9)) }
        let ann = try await fixture.user("ann").at(address: "10.0.0.8")
        _ = try await subscribe(6, ann)
        var last: LiveQueryID?
        for number in 10..<13 { last = try await subscribe(number, fixture.master) }
        await refused("memory", "The app's live queries") { _ = try await subscribe(13, fixture.master) }
        let id = try #require(last?.description)
        try await fixture.live.unsubscribe(["id": "page", "query_id": .string(id)])
        _ = try await subscribe(13, fixture.master)
    }

    @Test("the memory of compiled expressions counts")
    func patterns() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(memory: 100_000))
        await refused("memory", "of guests") {
            try await fixture.subscribe(#"{"a":{"$regex":"(?:abcde){1250}"},"b":{"$regex":"(?:abcde){1251}"}}"#)
        }
        #expect(fixture.live.registry.withState(\.usage.memory) == 0)
        try await fixture.subscribe(#"{"s":{"$regex":"abcde"}}"#)
        #expect(fixture.live.registry.withState(\.usage.memory) > 1024)
    }
}
