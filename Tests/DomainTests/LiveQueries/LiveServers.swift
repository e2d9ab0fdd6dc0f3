import Support
import Synchronization
import Testing

@testable import Domain

/// Several servers with live queries on the objects of one app.
struct LiveServers {
    let base = MemoryObjectStore(isShared: true)
    let stores: [ServerStore]
    let servers: [LiveFixture]
    /// The clock of each server.
    let clocks: [Clock]

    /// A wall clock that a test moves.
    final class Clock: Sendable {
        private let time: Mutex<Timestamp>

        init(_ time: Timestamp) { self.time = Mutex(time) }

        func pass(_ seconds: Int) { time.withLock { $0 = $0.adding(seconds: seconds) } }

        var now: Timestamp { time.withLock(\.self) }
    }

    init(
        _ count: Int = 2,
        _ limits: LiveQueryLimits = LiveQueryLimits(),
        buffer: ChangeBufferLimits = ChangeBufferLimits()
    ) throws {
        var (stores, servers, clocks): ([ServerStore], [LiveFixture], [Clock]) = ([], [], [])
        for _ in 0..<count {
            let (store, clock) = (ServerStore(of: base), Clock(Timestamp(milliseconds: 1_700_000_000_000)))
            stores.append(store)
            clocks.append(clock)
            servers.append(try LiveFixture(limits, buffer: buffer, on: base, through: store, now: { clock.now }))
        }
        (self.stores, self.servers, self.clocks) = (stores, servers, clocks)
    }

    /// Runs a body while all servers make events.
    func running(_ body: () async throws -> Void) async throws {
        let runs = servers.map { server in Task { await server.live.run() } }
        defer { for run in runs { run.cancel() } }
        try await body()
        for run in runs {
            run.cancel()
            await run.value
        }
    }

    /// Returns when all servers have handled what was published to them.
    func settle() async {
        for server in servers { await server.live.settle() }
    }

    /// A connection of an installation to a server, whose events have begun.
    func connect(to server: Int, _ id: String = "page") async throws -> LiveClient {
        let client = LiveClient()
        let installation = try #require(InstallationID(id))
        guard try !servers[server].live.attach(client, as: installation) else { return client }
        try await eventually { client.answers != (0, 0) || client.departures > 0 }
        #expect(client.answers == (1, 0))
        return client
    }

    /// The caller of a new user, as each server has looked it up.
    func user(_ name: String) async throws -> (id: ObjectID, token: String, callers: [Caller]) {
        let (id, token) = try await servers[0].users.signUp(name)
        var callers: [Caller] = []
        for server in servers { callers.append(try await server.users.caller(token)) }
        return (id, token, callers)
    }

    /// The rows of subscriptions.
    func rows() async throws -> [LiveRow] {
        try await base.read { try $0.find(ObjectQuery(.liveQuery, page: .all)).compactMap { LiveRow($0) } }
    }
}
