import Support
import Testing

@testable import Domain

/// What a server has in memory of the live queries that several servers share, and when.
@Suite struct LiveLoadingTests {
    @Test("only the server with the connection has a subscription in memory, and forgets it with the connection")
    func memory() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            try await servers.servers[0].subscribe()
            #expect(servers.servers.map(\.live.status.subscriptions) == [0, 0])
            let client = try await servers.connect(to: 1)
            #expect(servers.servers.map(\.live.status.subscriptions) == [0, 1])
            let task = servers.servers[0].task
            #expect(!servers.stores[0].changes.transaction().wantsBefore(.updated, in: task))
            #expect(servers.stores[1].changes.transaction().wantsBefore(.updated, in: task))
            servers.servers[1].live.detach(client, from: try #require(InstallationID("page")))
            #expect(servers.servers.map(\.live.status.subscriptions) == [0, 0])
            #expect(!servers.stores[1].changes.transaction().wantsBefore(.updated, in: task))
            #expect(try await servers.rows().count == 1)
        }
    }

    @Test("rows that a full buffer dropped are read with the first connection")
    func fullBuffer() async throws {
        let servers = try LiveServers(1, buffer: ChangeBufferLimits(count: 1, size: 1 << 20))
        let client = LiveClient()
        #expect(try !servers.servers[0].live.attach(client, as: try #require(InstallationID("page"))))
        for condition in ["{}", #"{"a":1}"#] { try await servers.servers[0].subscribe(condition) }
        try await servers.running {
            try await eventually { client.answers == (1, 0) }
            #expect(servers.servers[0].live.status.subscriptions == 2)
            try await servers.servers[0].create(#"{"a":1}"#)
            await servers.settle()
            #expect(client.events.count == 2)
            #expect(client.departures == 0)
        }
    }

    @Test("a condition of the maximum depth, sent as a string, is read from its row")
    func deepCondition() async throws {
        let servers = try LiveServers(1)
        let server = servers.servers[0]
        let lists = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let query: [String: JSONValue] = [
            "className": .string(server.task.description), "where": .string(#"{"a":\#(lists)}"#),
        ]
        _ = try await server.live.subscribe(["id": "page", "query": .object(query)], as: server.guest)
        try await servers.running {
            _ = try await servers.connect(to: 0)
            #expect(server.live.status.subscriptions == 1)
        }
    }

    @Test("a connection whose subscriptions cannot be read is told so and removed; the next one works")
    func failedRead() async throws {
        let servers = try LiveServers(1)
        try await servers.servers[0].subscribe()
        try await servers.running {
            let client = LiveClient()
            servers.stores[0].fail(with: ServiceError(.overloaded, "The database cannot be reached."))
            _ = try servers.servers[0].live.attach(client, as: try #require(InstallationID("page")))
            try await eventually { client.answers.failures == 1 }
            #expect(client.answers == (0, 1))
            #expect(servers.servers[0].live.status.connections == 0)
            servers.stores[0].fail(with: nil)
            let next = try await servers.connect(to: 0)
            try await servers.servers[0].create(#"{"a":1}"#)
            await servers.settle()
            #expect(next.lines == [#"create {"a":1}"#])
            #expect(client.lines == [])
        }
    }

    @Test("log-ins are loaded a page at a time, those that wait longest first, so that events come between the pages")
    func pages() async throws {
        let servers = try LiveServers(1)
        let live = servers.servers[0].live
        let rows = try #require(live.rows)
        var clients: [LiveClient] = []
        for number in 0..<45 {
            try await servers.servers[0].subscribe(id: "i\(number)")
            clients.append(LiveClient())
            let id = try #require(InstallationID("i\(number)"))
            #expect(try !live.attach(clients[number], as: id))
        }
        for count in [20, 40, 45] {
            let page = try #require(rows.nextPage())
            #expect(rows.nextPage() == nil)
            await rows.load()
            await rows.parse(page)
            #expect(rows.nextPage() == nil)
            await rows.load()
            #expect(clients.map { $0.answers.beginnings } == (0..<45).map { $0 < count ? 1 : 0 })
            #expect(live.status.subscriptions == count)
        }
        #expect(rows.nextPage() == nil)
    }

    @Test("a log-in whose conditions take too much memory is refused, and the others are not")
    func tooMuchMemory() async throws {
        let servers = try LiveServers(1, LiveQueryLimits(memory: 15_000))
        let live = servers.servers[0].live
        let long = String(repeating: "x", count: 700)
        for number in 0..<2 { try await servers.servers[0].subscribe(#"{"s":"\#(number)\#(long)"}"#, id: "large") }
        try await servers.servers[0].subscribe(id: "small")
        try await servers.running {
            let (large, small) = (LiveClient(), LiveClient())
            _ = try live.attach(large, as: try #require(InstallationID("large")))
            try await eventually { large.answers.failures == 1 }
            _ = try live.attach(small, as: try #require(InstallationID("small")))
            try await eventually { small.answers.beginnings == 1 }
            #expect(large.answers == (0, 1))
            #expect(live.status.subscriptions == 1)
            #expect(live.status.connections == 1)
        }
    }

    @Test("a subscription whose condition took too many steps for one object is served on by all servers")
    func costly() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            try await servers.servers[0].subscribe(LiveFixture.endless, id: "page")
            let clients = [try await servers.connect(to: 0), try await servers.connect(to: 1)]
            try await servers.servers[0].create(#"{"s":"\#(LiveFixture.subject)"}"#)
            await servers.settle()
            try await eventually { clients.map(\.departures) == [1, 1] }
            #expect(try await servers.rows().count == 1)
            let again = try await servers.connect(to: 1)
            try await servers.servers[1].subscribe(LiveFixture.endless)
            try await servers.servers[0].create(#"{"s":"abAb"}"#)
            await servers.settle()
            #expect(again.events.map(\.kind) == [.create])
        }
    }

    @Test("a subscription whose condition the class no longer allows loses its row, and its clients are sent away")
    func relation() async throws {
        let servers = try LiveServers(2)
        let tag = #"{"__type":"Pointer","className":"Tag","objectId":"red"}"#
        let condition = #"{"tags":\#(tag)}"#
        try await servers.running {
            try await servers.servers[0].subscribe(condition)
            let clients = [try await servers.connect(to: 0), try await servers.connect(to: 1)]
            try await servers.servers[0].create(#"{"tags":{"__op":"AddRelation","objects":[\#(tag)]}}"#)
            await servers.settle()
            try await eventually { clients.map(\.departures) == [1, 1] }
            #expect(try await servers.rows().isEmpty)
            for server in servers.servers {
                let error = await #expect(throws: ServiceError.self) { try await server.subscribe(condition) }
                #expect(error?.code == .badRequest)
            }
        }
    }

    @Test("an installation that left while its rows were read has to wait for them again")
    func leftMeanwhile() throws {
        let live = try LiveServers(1).servers[0].live
        let page = try #require(InstallationID("page"))
        let clients = (LiveClient(), LiveClient())
        #expect(try !live.registry.attach(clients.0, to: page))
        let waiting = live.registry.waiting(atMost: 10)
        live.registry.detach(clients.0, from: page)
        #expect(try !live.registry.attach(clients.1, to: page))
        #expect(live.registry.load([], of: waiting).begun.isEmpty)
        #expect(!live.registry.isLoaded(page))
        #expect(live.registry.load([], of: live.registry.waiting(atMost: 10)).begun.count == 1)
        #expect(live.registry.isLoaded(page))
        #expect(live.registry.waiting(atMost: 10).isEmpty)
    }

    @Test("a class is recorded while a new row of it waits in the buffer, although its last subscription ends")
    func announced() async throws {
        let servers = try LiveServers(1)
        let server = servers.servers[0]
        func isRecorded() -> Bool { servers.stores[0].changes.transaction().wantsBefore(.updated, in: server.task) }
        try await servers.running {
            _ = try await servers.connect(to: 0)
            let id = try await server.subscribe()
            await servers.settle()
            let registry = server.live.registry
            let row = try #require(try await servers.rows().first)
            let state = StoredObject(
                id: try #require(id.row),
                createdAt: Timestamp(milliseconds: 0),
                updatedAt: Timestamp(milliseconds: 0),
                fields: row.fields
            )
            let position = registry.changesPosition
            registry.withState { $0.announced[server.task] = position + 1 }
            registry.unsubscribe(id, of: row.installation)
            #expect(isRecorded())
            registry.handled(position)
            #expect(isRecorded())
            registry.handled(position + 1)
            #expect(!isRecorded())
            registry.announce(.changes([Change(.created, state.id, in: .liveQuery, after: ObjectState(state))]))
            #expect(isRecorded())
        }
    }
}
