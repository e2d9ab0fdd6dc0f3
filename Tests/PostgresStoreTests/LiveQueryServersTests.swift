import Domain
import Logging
import PCREPatterns
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// Live queries of several servers on one database.
@Suite struct LiveQueryServersTests {
    /// A server with live queries.
    private struct Server {
        let store: PostgresObjectStore
        let live: LiveQueryService
        let objects: ObjectService

        init(_ store: PostgresObjectStore, _ app: AppID) {
            self.store = store
            let settings = ObjectSettings(
                files: FilePresentation(publicURL: "https://a.example.com", bucket: "b", policy: CensorPolicy()),
                accountDependencies: AccountDependencies(
                    settings: AccountSettings(),
                    changes: store.changes,
                    hasher: PlainHasher()
                )
            )
            live = LiveQueryService(
                app: app,
                store: store,
                settings: settings,
                engine: PCREEngine(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            objects = ObjectService(store: store, settings: settings)
        }
    }

    /// A client's connection.
    private final class Client: LiveConnection {
        private let state = Mutex((numbers: [Int64](), begun: false, departures: 0))

        func send(_ event: LiveEvent) {
            let object = try? JSONValue(parsing: event.object, field: "object").objectValue
            state.withLock { $0.numbers.append(object?["n"]?.integerValue ?? -1) }
        }

        func begin() { state.withLock { $0.begun = true } }

        func fail(_ error: any Error) { Issue.record(error) }

        func goAway() { state.withLock { $0.departures += 1 } }

        var numbers: [Int64] { state.withLock(\.numbers) }
        var begun: Bool { state.withLock(\.begun) }
        var departures: Int { state.withLock(\.departures) }
    }

    private let app: AppID
    private let master: Caller
    private let page: InstallationID

    init() throws {
        app = try #require(AppID("app"))
        master = Caller(app: app, isMaster: true)
        page = try #require(InstallationID("page"))
    }

    private func running(_ servers: [Server], _ body: () async throws -> Void) async throws {
        let runs = servers.map { server in Task { await server.live.run() } }
        defer { for run in runs { run.cancel() } }
        try await body()
        for run in runs {
            run.cancel()
            await run.value
        }
    }

    private func connect(to server: Server) async throws -> Client {
        let client = Client()
        #expect(try !server.live.attach(client, as: page))
        try await eventually { client.begun }
        return client
    }

    private func subscribe(at server: Server) async throws -> LiveQueryID {
        try await server.live.subscribe(["id": "page", "query": ["className": "Task"]], as: master)
    }

    private func create(_ number: Int, at server: Server) async throws {
        let change = try ObjectChange(["n": .integer(Int64(number))], allowsPaths: false)
        let command = ObjectCommand(try ClassName("Task"), .create(change, returnsObject: false))
        _ = try await server.objects.perform(command, as: master)
    }

    @Test("a client gets every change after its subscription at another server, of all servers, in order")
    func events() async throws {
        try await Engine.withStores(3) { stores in
            let servers = stores.map { Server($0, app) }
            try await running(servers) {
                try await create(-1, at: servers[0])
                let client = try await connect(to: servers[1])
                let id = try await subscribe(at: servers[0])
                for number in 0..<30 { try await create(number, at: servers[number % 3]) }
                try await eventually { client.numbers.count == 30 }
                let late = try await connect(to: servers[2])
                try await create(30, at: servers[0])
                try await eventually { client.numbers.count == 31 && !late.numbers.isEmpty }
                #expect(client.numbers == (0...30).map { Int64($0) })
                #expect(late.numbers.last == 30)
                try await servers[2].live.unsubscribe(["id": "page", "query_id": .string(id.description)])
                try await create(31, at: servers[0])
                // The own change of a server is published after those of the others.
                let other = ClassSchema(name: try ClassName("Other"))
                for server in servers { try await server.store.write { try $0.save(other) } }
                for server in servers { await server.live.settle() }
                #expect(client.numbers.count == 31)
                #expect(client.departures + late.departures == 0)
                #expect(try await stores[0].read { try $0.count(ObjectQuery(.liveQuery)) } == 0)
            }
        }
    }

    @Test("a server that lost its connections sends its clients away, and serves them when they come back")
    func lostConnections() async throws {
        try await Engine.withAddress { plain in
            let address = plain.named(plain.schema)
            let stores = [try PostgresObjectStore(plain), try PostgresObjectStore(address)]
            try await stores[0].prepare()
            let servers = stores.map { Server($0, app) }
            try await running(servers) {
                let client = try await connect(to: servers[1])
                _ = try await subscribe(at: servers[0])
                try await create(0, at: servers[0])
                try await eventually { client.numbers == [0] }
                try Engine.endConnections(of: address)
                try await create(1, at: servers[0])
                try await eventually { client.departures == 1 }
                // Until the connection listens again, clients are sent away a few times a second.
                var again = try await connect(to: servers[1])
                for number in 2..<100 {
                    try await create(number, at: servers[0])
                    try await eventually { again.departures > 0 || again.numbers.last == Int64(number) }
                    if again.numbers.last == Int64(number) { break }
                    again = try await connect(to: servers[1])
                }
                #expect(again.departures == 0)
            }
            for store in stores { try await store.close() }
        }
    }
}
