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

    @Test("an installation that left while its rows were read has to wait for them again")
    func leftMeanwhile() throws {
        let live = try LiveServers(1).servers[0].live
        let page = try #require(InstallationID("page"))
        let clients = (LiveClient(), LiveClient())
        #expect(try !live.registry.attach(clients.0, to: page))
        let waiting = live.registry.waiting(atMost: 10)
        live.registry.detach(clients.0, from: page)
        #expect(try !live.registry.attach(clients.1, to: page))
        #expect(live.registry.load([], of: waiting).isEmpty)
        #expect(!live.registry.isLoaded(page))
        #expect(live.registry.load([], of: live.registry.waiting(atMost: 10)).count == 1)
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
