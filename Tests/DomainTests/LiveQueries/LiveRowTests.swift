import PCREPatterns
import Support
import Testing

@testable import Domain

/// When rows of live queries are renewed and expire.
@Suite struct LiveRowTests {
    private static let page: InstallationID = {
        guard let id = InstallationID("page") else { preconditionFailure("page is an id") }
        return id
    }()

    /// Moves all clocks by a minute, as long as a number of minutes, and lets each server do what it does then.
    private func pass(_ minutes: Int, _ servers: LiveServers, renewing: Set<Int>) async {
        for _ in 0..<minutes {
            for clock in servers.clocks { clock.pass(60) }
            for (number, server) in servers.servers.enumerated() {
                if renewing.contains(number) { await server.live.rows?.renew() }
                await server.live.rows?.removeExpired()
                await server.live.settle()
            }
        }
    }

    @Test(
        "a connected subscription lives on with few renewals, at clocks that differ by minutes",
        arguments: [-290, 0, 290]
    )
    func renewal(difference: Int) async throws {
        let servers = try LiveServers(2)
        servers.clocks[1].pass(difference)
        try await servers.running {
            try await servers.servers[0].subscribe()
            let client = try await servers.connect(to: 1)
            let log = ChangeLog(of: servers.base, [ChangeFilter(.liveQuery)])
            await pass(300, servers, renewing: [0, 1])
            #expect(try await servers.rows().count == 1)
            #expect(log.lines.count <= 6)
            try await servers.servers[0].create(#"{"a":1}"#)
            await servers.settle()
            #expect(client.lines == [#"create {"a":1}"#])
            #expect(client.departures == 0)
        }
    }

    @Test("after the death of its server a subscription lives for the lifetime at least, and for two hours at most")
    func deadServer() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            try await servers.servers[0].subscribe()
            _ = try await servers.connect(to: 1)
            await pass(30, servers, renewing: [0, 1])
            await pass(10, servers, renewing: [0])
            #expect(try await servers.rows().count == 1)
            await pass(80, servers, renewing: [0])
            #expect(try await servers.rows().isEmpty)
        }
    }

    @Test("after its client has left, a subscription lives for the lifetime at least, and for half an hour at most")
    func departure() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            try await servers.servers[0].subscribe()
            let client = try await servers.connect(to: 1)
            await pass(30, servers, renewing: [0, 1])
            servers.servers[1].live.detach(client, from: LiveRowTests.page)
            await pass(11, servers, renewing: [0, 1])
            #expect(try await servers.rows().count == 1)
            await pass(19, servers, renewing: [0, 1])
            #expect(try await servers.rows().isEmpty)
        }
    }

    @Test("a client that leaves soon, or comes back to its server, causes no change of its row")
    func shortVisit() async throws {
        let servers = try LiveServers(1)
        try await servers.running {
            try await servers.servers[0].subscribe()
            let log = ChangeLog(of: servers.base, [ChangeFilter(.liveQuery)])
            let client = try await servers.connect(to: 0)
            await pass(2, servers, renewing: [0])
            servers.servers[0].live.detach(client, from: LiveRowTests.page)
            await pass(2, servers, renewing: [0])
            #expect(log.lines.isEmpty)
            let again = try await servers.connect(to: 0)
            await pass(2, servers, renewing: [0])
            #expect(log.lines.count == 1)
            servers.servers[0].live.detach(again, from: LiveRowTests.page)
            _ = try await servers.connect(to: 0)
            await pass(1, servers, renewing: [0])
            #expect(log.lines.count == 1)
        }
    }

    @Test("a client that moved to another server is renewed there, although the first lets it expire early")
    func move() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            try await servers.servers[0].subscribe()
            let client = try await servers.connect(to: 0)
            await pass(30, servers, renewing: [0, 1])
            let moved = try await servers.connect(to: 1)
            servers.servers[0].live.detach(client, from: LiveRowTests.page)
            await pass(120, servers, renewing: [0, 1])
            #expect(try await servers.rows().count == 1)
            #expect(moved.departures == 0)
        }
    }

    @Test("a client whose row was removed by a server with a wrong clock is sent away, so that it subscribes again")
    func wrongClock() async throws {
        let servers = try LiveServers(2)
        try await servers.running {
            try await servers.servers[0].subscribe()
            let client = try await servers.connect(to: 0)
            servers.clocks[1].pass(100_000)
            await servers.servers[1].live.rows?.removeExpired()
            try await eventually { client.departures == 1 }
            #expect(servers.servers[0].live.status.subscriptions == 0)
        }
    }

    @Test("a failing store delays renewals")
    func failure() async throws {
        let servers = try LiveServers(1)
        try await servers.running {
            try await servers.servers[0].subscribe()
            _ = try await servers.connect(to: 0)
            let before = try await servers.rows().map(\.expiresAt)
            servers.clocks[0].pass(600)
            servers.stores[0].fail(with: ServiceError(.overloaded, "The database cannot be reached."))
            await servers.servers[0].live.rows?.renew()
            await servers.servers[0].live.rows?.removeExpired()
            #expect(try await servers.rows().map(\.expiresAt) == before)
            servers.stores[0].fail(with: nil)
            await servers.servers[0].live.rows?.renew()
            #expect(try await servers.rows().allSatisfy { $0.expiresAt > before[0] })
        }
    }

    @Test("a row says again what was subscribed, for every kind of caller")
    func contents() throws {
        let app = try #require(AppID("app"))
        let ids = (try #require(ObjectID("u1")), try #require(ObjectID("s1")))
        let callers = [
            Caller(app: app), Caller(app: app, isMaster: true),
            Caller(app: app, user: Caller.User(id: ids.0, session: ids.1)),
        ]
        let json: JSONValue = [
            "className": "Task", "returnACL": .bool(true),
            "where": ["a": ["$in": .array(["é\u{1}", .number(1.5), .null])]],
        ]
        for caller in callers {
            let (limits, queries) = (LiveQueryLimits(), QueryLimits())
            let query = try LiveQuery(json, limits: limits, queries: queries, engine: PCREEngine())
            let row = LiveRow(query, of: LiveRowTests.page, by: caller, expiringAt: Timestamp(milliseconds: 5000))
            let now = Timestamp(milliseconds: 0)
            let object = StoredObject(
                id: try #require(row.id.row),
                createdAt: now,
                updatedAt: now,
                fields: row.fields
            )
            let read = try #require(LiveRow(object))
            #expect(read.fields == row.fields)
            #expect(read.id == row.id)
            #expect(LiveCallers.key(of: read.caller.caller(in: app)) == LiveCallers.key(of: caller))
            let parsed = try JSONValue(parsing: Array(read.query.utf8), field: "query", values: 1000)
            let again = try LiveQuery(parsed, limits: limits, queries: queries, engine: PCREEngine())
            #expect(again.conditionText == query.conditionText)
            #expect(LiveQueryID(of: app, read.installation, again.json) == row.id)
            #expect(again.returnsACL)
        }
    }
}
