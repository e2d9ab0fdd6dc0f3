import Support
import Testing

@testable import Domain

@Suite struct LiveLimitTests {
    /// Runs a body that has to be refused, and checks that the message names the setting.
    private func refused(_ setting: String, _ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == .overloaded)
        #expect(error?.message.contains("liveQueries.\(setting)") == true, "\(error?.message ?? "")")
    }

    @Test("subscriptions of an app and of an installation are limited; repeated ones do not count")
    func subscriptions() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(subscriptions: 3, subscriptionsPerInstallation: 2))
        for _ in 0..<3 { try await fixture.subscribe(#"{"a":1}"#) }
        try await fixture.subscribe(#"{"a":2}"#)
        await refused("subscriptionsPerInstallation") { try await fixture.subscribe(#"{"a":3}"#) }
        try await fixture.subscribe(id: "other")
        await refused("subscriptions") { try await fixture.subscribe(id: "third") }
        try await fixture.subscribe(#"{"a":2}"#)
        #expect(fixture.live.status.subscriptions == 3)
    }

    @Test("connections of an app and of an installation are limited, and free again when they end")
    func connections() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(connections: 3, connectionsPerInstallation: 2))
        let first = try fixture.connect()
        _ = try fixture.connect()
        await refused("connectionsPerInstallation") { _ = try fixture.connect() }
        _ = try fixture.connect("other")
        await refused("connections") { _ = try fixture.connect("third") }
        fixture.live.detach(first, from: try #require(InstallationID("page")))
        _ = try fixture.connect("third")
        #expect(fixture.live.status.connections == 3)
    }

    @Test("an address subscribes at a rate, ten times as often at once, and the master key without a limit")
    func rate() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(subscribeRate: 2))
        let near = fixture.guest.at(address: "10.0.0.1")
        for _ in 0..<20 { try await fixture.subscribe(as: near) }
        await refused("subscribeRate") { try await fixture.subscribe(as: near) }
        try await fixture.subscribe(as: fixture.guest.at(address: "10.0.0.2"))
        for _ in 0..<30 { try await fixture.subscribe(as: fixture.master.at(address: "10.0.0.1")) }
        fixture.clock.pass(1)
        for _ in 0..<2 { try await fixture.subscribe(as: near) }
        await refused("subscribeRate") { try await fixture.subscribe(as: near) }
    }

    @Test("subscriptions are forgotten after a time without a connection, sooner before the first one")
    func expiry() async throws {
        let fixture = try LiveFixture(LiveQueryLimits(lifetime: 100))
        let page = try #require(InstallationID("page"))
        func count(after seconds: Int) -> Int {
            fixture.clock.pass(seconds)
            fixture.live.registry.sweep()
            return fixture.live.status.subscriptions
        }
        try await fixture.subscribe()
        #expect(count(after: 59) == 1)
        #expect(count(after: 1) == 0)
        try await fixture.subscribe()
        let client = try fixture.connect()
        #expect(count(after: 1000) == 1)
        fixture.live.detach(client, from: page)
        #expect(count(after: 99) == 1)
        let again = try fixture.connect()
        #expect(count(after: 1000) == 1)
        fixture.live.detach(again, from: page)
        #expect(count(after: 100) == 0)
        let classes = fixture.live.registry.withState { state in
            [state.classes.count, state.installations.count, state.subscriptions.count]
        }
        #expect(classes == [0, 0, 0])
    }

    @Test("when changes were dropped, every connection with subscriptions has to come back, and goes on after that")
    func overflow() async throws {
        let fixture = try LiveFixture(buffer: ChangeBufferLimits(count: 2, size: 1_000_000))
        let client = try await fixture.client()
        let idle = try fixture.connect("without subscriptions")
        for number in 0..<3 { try await fixture.create(#"{"a":\#(number)}"#) }
        try await fixture.running {
            await fixture.live.settle()
            #expect(client.departures == 1)
            #expect(idle.departures == 0)
            #expect(fixture.live.status.losses == 1)
            #expect(fixture.live.status.connections == 1)
            fixture.users.store.changes.publishMissed()
            await fixture.live.settle()
            #expect(client.departures == 1)
            let again = try await fixture.client()
            try await fixture.create(#"{"a":9}"#)
            await fixture.live.settle()
            #expect(again.lines == [#"create {"a":9}"#])
        }
    }

    @Test("an expression that takes too many steps sends away its own subscribers only, which can come back at once")
    func costlyExpression() async throws {
        let fixture = try LiveFixture()
        try await fixture.running {
            try await fixture.subscribe(LiveFixture.endless)
            let hostile = try fixture.connect()
            let other = try await fixture.client(#"{"a":1}"#)
            try await fixture.create(#"{"a":1,"s":"\#(LiveFixture.subject)"}"#)
            await fixture.live.settle()
            #expect(hostile.departures == 1)
            #expect(hostile.lines == [])
            #expect(other.departures == 0)
            #expect(other.events.map(\.kind) == [.create])
            #expect(fixture.live.status.subscriptions == 2)
            try await fixture.subscribe(LiveFixture.endless)
            #expect(fixture.live.status.subscriptions == 2)
        }
    }

    @Test("an object with a costly value ends no live query of other installations with the same condition")
    func costlyObject() async throws {
        let fixture = try LiveFixture()
        try await fixture.running {
            let ids = ["page", "other"]
            for id in ids { try await fixture.subscribe(LiveFixture.endless, id: id) }
            let clients = try ids.map { try fixture.connect($0) }
            try await fixture.create(#"{"s":"\#(LiveFixture.subject)"}"#)
            await fixture.live.settle()
            #expect(clients.map(\.departures) == [1, 1])
            for id in ids { try await fixture.subscribe(LiveFixture.endless, id: id) }
            let again = try ids.map { try fixture.connect($0) }
            try await fixture.create(#"{"s":"aaA.bb"}"#)
            try await fixture.create(#"{"s":"abAb"}"#)
            await fixture.live.settle()
            #expect(again.map(\.departures) == [0, 0])
            #expect(again.map { $0.events.map(\.kind) } == [[.create], [.create]])
        }
    }

    @Test("when the service ends, every connection is told so, and new ones at once")
    func end() async throws {
        let fixture = try LiveFixture()
        let clients = [try await fixture.client(), try fixture.connect("without subscriptions")]
        try await fixture.running { await fixture.live.settle() }
        #expect(clients.map(\.departures) == [1, 1])
        #expect(try fixture.connect().departures == 1)
        #expect(fixture.live.status.losses == 0)
    }

    @Test("many classes are recorded by one filter, and none any more when their subscriptions end")
    func manyClasses() async throws {
        let fixture = try LiveFixture()
        var ids: [LiveQueryID] = []
        for number in 0..<201 {
            ids.append(
                try await fixture.subscribe(in: ClassName("C\(number)"), as: fixture.master, id: "i\(number / 100)")
            )
        }
        let changes = fixture.users.store.changes
        #expect(changes.transaction().wantsBefore(.updated, in: try ClassName("C200")))
        for (number, id) in ids.enumerated() {
            try await fixture.live.unsubscribe([
                "id": .string("i\(number / 100)"), "query_id": .string(id.description),
            ])
        }
        for name in ["C0", "C200", "Other"] {
            #expect(!changes.transaction().wantsBefore(.updated, in: try ClassName(name)))
        }
    }
}
