import Support
import Testing

@testable import Domain

/// Several servers on one store: a client subscribes at any of them and is connected to any of them.
@Suite struct LiveServerTests {
    /// What happens between the subscription and the event.
    enum Step: String, CaseIterable, CustomTestStringConvertible {
        case connect
        case subscribe
        /// The connected server gets what it was not told yet.
        case release

        var testDescription: String { rawValue }
    }

    private static let allOrders: [[Step]] = [
        [.connect, .subscribe, .release], [.connect, .release, .subscribe], [.release, .connect, .subscribe],
        [.subscribe, .connect, .release], [.subscribe, .release, .connect], [.release, .subscribe, .connect],
    ]

    @Test(
        "a client of one server gets every event after a subscription at another, in every order",
        arguments: allOrders,
        [0, 1, 2]
    )
    func orders(order: [Step], writer: Int) async throws {
        let servers = try LiveServers(3)
        try await servers.running {
            servers.stores[1].hold()
            try await servers.servers[0].create(#"{"a":0}"#)
            var client: LiveClient?
            for step in order {
                switch step {
                case .connect: client = try await servers.connect(to: 1)
                case .subscribe: try await servers.servers[0].subscribe()
                case .release: servers.stores[1].release()
                }
            }
            for number in 1...3 { try await servers.servers[writer].create(#"{"a":\#(number)}"#) }
            await servers.settle()
            let lines = try #require(client).lines
            let expected = (1...3).map { #"create {"a":\#($0)}"# }
            // Rows that are read are newer than the changes that have not arrived yet.
            let mayGetOlder = order == [.subscribe, .connect, .release]
            #expect(lines == expected || mayGetOlder && lines == [#"create {"a":0}"#] + expected)
        }
    }

    @Test("the same query has one row, which is written again only with other rights or when it gets old")
    func repeated() async throws {
        let servers = try LiveServers(2)
        let (_, _, callers) = try await servers.user("ann")
        try await servers.running {
            let id = try await servers.servers[0].subscribe()
            let log = ChangeLog(of: servers.stores[0], [ChangeFilter(.liveQuery)])
            #expect(try await servers.servers[1].subscribe() == id)
            #expect(log.lines.count == 0)
            #expect(try await servers.servers[1].subscribe(as: callers[1]) == id)
            #expect(log.lines.count == 1)
            servers.clocks[1].pass(299)
            try await servers.servers[1].subscribe(as: callers[1])
            #expect(log.lines.count == 1)
            servers.clocks[1].pass(2)
            try await servers.servers[1].subscribe(as: callers[1])
            #expect(log.lines.count == 2)
            #expect(try await servers.rows().count == 1)
        }
    }

    @Test("events have the rights of the newest subscription, whichever server was asked, in the order of the changes")
    func rights() async throws {
        let servers = try LiveServers(3)
        let (user, _, callers) = try await servers.user("ann")
        let own = #""ACL":{"\#(user)":{"read":true}}"#
        try await servers.running {
            let client = try await servers.connect(to: 1)
            servers.stores[1].hold()
            for (number, caller) in [callers[0], servers.servers[0].guest, servers.servers[0].master].enumerated() {
                try await servers.servers[0].subscribe(as: caller)
                try await servers.servers[2].create(#"{"a":\#(number),\#(own)}"#)
            }
            try await servers.servers[0].subscribe()
            try await servers.servers[2].create(#"{"a":9,\#(own)}"#)
            servers.stores[1].release()
            await servers.settle()
            #expect(client.lines == [#"create {"a":0}"#, #"create {"a":2}"#])
        }
    }

    @Test("the end of a session at one server ends the events of its objects at another")
    func endedSession() async throws {
        let servers = try LiveServers(3)
        let (user, _, callers) = try await servers.user("ann")
        let own = #""ACL":{"\#(user)":{"read":true}}"#
        try await servers.running {
            try await servers.servers[0].subscribe(as: callers[0])
            let client = try await servers.connect(to: 1)
            try await servers.servers[2].create(#"{"a":1,\#(own)}"#)
            await servers.settle()
            servers.stores[1].hold()
            let session = try #require(callers[0].user).session
            _ = try await servers.stores[0].write { try $0.delete(session, in: .session) }
            try await servers.servers[2].create(#"{"a":2,\#(own)}"#)
            try await servers.servers[2].create(#"{"a":3}"#)
            servers.stores[1].release()
            await servers.settle()
            #expect(client.lines == [#"create {"a":1}"#, #"create {"a":3}"#])
            // A server that starts or attaches later finds no session either.
            let other = try await servers.connect(to: 2)
            try await servers.servers[0].create(#"{"a":4,\#(own)}"#)
            await servers.settle()
            #expect(other.lines == [])
        }
    }

    @Test("unsubscribing at one server ends the events at another, without sending the client away")
    func unsubscribing() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            let id = try await servers.servers[0].subscribe()
            let client = try await servers.connect(to: 1)
            let body: [String: JSONValue] = ["query_id": .string(id.description)]
            for id in ["other", "page", "page"] {
                try await servers.servers[1].create(#"{"s":"\#(id)"}"#)
                try await servers.servers[0].live.unsubscribe(body.merging(["id": .string(id)]) { $1 })
            }
            try await servers.servers[1].create(#"{"a":1}"#)
            await servers.settle()
            #expect(client.lines == [#"create {"s":"other"}"#, #"create {"s":"page"}"#])
            #expect(client.departures == 0)
            #expect(try await servers.rows().isEmpty)
            #expect(servers.servers[1].live.status.subscriptions == 0)
        }
    }

    @Test("two servers send to two connections of one installation, and a new class is recorded in time")
    func twoConnections() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            var clients: [LiveClient] = []
            for server in [0, 1, 1] { clients.append(try await servers.connect(to: server)) }
            for number in 0..<5 {
                let name = try ClassName("C\(number)")
                try await servers.servers[number % 2].subscribe(in: name)
                try await servers.servers[(number + 1) % 2].create("{}", in: name)
            }
            await servers.settle()
            for client in clients { #expect(client.lines == Array(repeating: "create {}", count: 5)) }
        }
    }

    @Test("a server that lost changes sends its clients away, and they miss nothing after they came back")
    func lostFeed() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            let clients = [try await servers.connect(to: 1, "a"), try await servers.connect(to: 1, "b")]
            try await servers.servers[0].subscribe(id: "a")
            await servers.settle()
            servers.stores[1].hold()
            // The row of the second is among what is lost.
            try await servers.servers[0].subscribe(id: "b")
            try await servers.servers[0].create(#"{"a":1}"#)
            servers.stores[1].lose()
            await servers.settle()
            #expect(clients.map(\.departures) == [1, 1])
            let again = [try await servers.connect(to: 1, "a"), try await servers.connect(to: 1, "b")]
            try await servers.servers[0].create(#"{"a":2}"#)
            await servers.settle()
            for client in again { #expect(client.lines == [#"create {"a":2}"#]) }
            #expect(clients.flatMap(\.lines) == [])
        }
    }

    @Test("limits of an installation are exact at all servers, those of an app at the server that counts")
    func limits() async throws {
        let servers = try LiveServers(2, LiveQueryLimits(subscriptions: 4, subscriptionsPerInstallation: 2))
        for server in [0, 1] { try await servers.servers[server].subscribe(#"{"a":\#(server)}"#) }
        for server in servers.servers {
            let error = await #expect(throws: ServiceError.self) { try await server.subscribe(#"{"a":2}"#) }
            #expect(error?.message.contains("liveQueries.subscriptionsPerInstallation") == true)
        }
        try await servers.servers[0].subscribe(id: "b")
        try await servers.servers[0].subscribe(id: "c")
        for server in servers.servers { server.clock.pass(11) }
        for server in servers.servers {
            let error = await #expect(throws: ServiceError.self) { try await server.subscribe(id: "d") }
            #expect(error?.message.contains("(liveQueries.subscriptions)") == true)
            try await server.subscribe(id: "c")
        }
        // What a server removes itself counts at once.
        let id = try await servers.servers[0].subscribe(id: "c")
        try await servers.servers[0].live.unsubscribe(["id": "c", "query_id": .string(id.description)])
        try await servers.servers[0].subscribe(id: "d")
    }

    @Test("a class that the caller is not allowed to query is refused, and leaves no row")
    func refusal() async throws {
        let servers = try LiveServers(2)
        try await servers.servers[0].change { $0.permissions[.find] = [.users] }
        await #expect(throws: ServiceError.self) { try await servers.servers[1].subscribe() }
        #expect(try await servers.rows().isEmpty)
    }

    @Test("a store of one server has no rows and no transaction for a subscription")
    func single() async throws {
        let store = MemoryObjectStore()
        let fixture = try LiveFixture(on: store, through: store)
        let log = ChangeLog(of: store, [ChangeFilter(nil)])
        let id = try await fixture.subscribe()
        let client = LiveClient()
        #expect(try fixture.live.attach(client, as: try #require(InstallationID("page"))))
        #expect(client.answers == (0, 0))
        try await fixture.live.unsubscribe(["id": "page", "query_id": .string(id.description)])
        #expect(log.lines.isEmpty)
        #expect(store.count(of: .liveQuery) == 0)
    }
}
