import Logging
import PCREPatterns
import Support
import Synchronization
import Testing

@testable import Domain

/// Live queries of one app in memory, and what tests do with them in one line.
struct LiveFixture {
    /// A clock that a test moves.
    final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)

        func pass(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }

        var now: ContinuousClock.Instant { time.withLock(\.self) }
    }

    /// The store of this server.
    let store: any ObjectStore
    let users: SessionFixture
    let live: LiveQueryService
    let clock = Clock()
    let task: ClassName

    var guest: Caller { users.guest }
    var master: Caller { users.master }

    init(_ limits: LiveQueryLimits = LiveQueryLimits(), buffer: ChangeBufferLimits = ChangeBufferLimits()) throws {
        let store = MemoryObjectStore()
        try self.init(limits, buffer: buffer, on: store, through: store)
    }

    /// Creates a server that reaches the objects in a way of its own, with its clock for the times in rows.
    init(
        _ limits: LiveQueryLimits = LiveQueryLimits(),
        buffer: ChangeBufferLimits = ChangeBufferLimits(),
        on base: MemoryObjectStore,
        through store: any ObjectStore,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) throws {
        self.store = store
        users = try SessionFixture(on: base, through: store)
        task = try ClassName("Task")
        let settings = users.objects.settings.copy(clock: now)
        live = LiveQueryService(
            app: users.guest.app,
            store: store,
            settings: settings,
            engine: PCREEngine(),
            limits: limits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            buffer: buffer,
            clock: { [clock] in clock.now }
        )
    }

    /// Runs a body while the service makes events; ends the service after it.
    func running(_ body: () async throws -> Void) async throws {
        let run = Task { [live] in await live.run() }
        defer { run.cancel() }
        try await body()
        run.cancel()
        await run.value
    }

    /// Subscribes; `text` is the JSON of `where`.
    @discardableResult
    func subscribe(
        _ text: String = "{}",
        in name: ClassName? = nil,
        as caller: Caller? = nil,
        id: String = "page",
        returnsACL: Bool = false
    ) async throws -> LiveQueryID {
        let query: [String: JSONValue] = [
            "className": .string((name ?? task).description), "where": try users.json(text),
            "returnACL": .bool(returnsACL),
        ]
        return try await live.subscribe(["id": .string(id), "query": .object(query)], as: caller ?? guest)
    }

    /// A connection of an installation.
    func connect(_ id: String = "page") throws -> LiveClient {
        let client = LiveClient()
        _ = try live.attach(client, as: try #require(InstallationID(id)))
        return client
    }

    /// A connection of an installation of its own that subscribes to one query.
    func client(
        _ text: String = "{}",
        in name: ClassName? = nil,
        as caller: Caller? = nil,
        returnsACL: Bool = false
    ) async throws -> LiveClient {
        let id = "i\(LiveFixture.installations.next())"
        try await subscribe(text, in: name, as: caller, id: id, returnsACL: returnsACL)
        return try connect(id)
    }

    private static let installations = Counter()

    /// A condition that takes too many steps for ``subject``.
    static let endless = #"{"s":{"$regex":"^(([a-z])+.)+[A-Z]([a-z])+$"}}"#
    /// The value of `s` for ``endless``.
    static let subject = String(repeating: "a", count: 5000)

    @discardableResult
    func create(_ text: String, in name: ClassName? = nil, as caller: Caller? = nil) async throws -> ObjectID {
        let reply = try await users.create(text, in: name ?? task, as: caller ?? master)
        return try #require(reply["objectId"]?.stringValue.flatMap(ObjectID.init))
    }

    func update(_ id: ObjectID, _ text: String, in name: ClassName? = nil, as caller: Caller? = nil) async throws {
        try await users.update(id, text, in: name ?? task, as: caller ?? master)
    }

    func delete(_ id: ObjectID, in name: ClassName? = nil) async throws {
        _ = try await users.objects.perform(ObjectCommand(name ?? task, .delete([id], where: nil)), as: master)
    }

    /// Changes the schema of a class.
    func change(_ name: ClassName? = nil, _ body: @escaping @Sendable (inout ClassSchema) -> Void) async throws {
        let name = name ?? task
        try await store.write { writer in
            var schema = try writer.schema(of: name) ?? ClassSchema(name: name)
            body(&schema)
            try writer.save(schema)
        }
    }

    /// The caller of a new user.
    func user(_ name: String) async throws -> Caller {
        try await users.caller(try await users.signUp(name).token)
    }
}

/// A connection that records what it gets.
final class LiveClient: LiveConnection {
    let address: String?
    private let webSocket: LiveClient?
    private let state = Mutex((events: [LiveEvent](), departures: 0, beginnings: 0, failures: 0))

    /// - Parameters:
    ///   - address: The client address by which limits count; `nil` if it has no limit.
    ///   - other: A connection on the same WebSocket; `nil` for one of its own.
    init(at address: String? = nil, on other: LiveClient? = nil) {
        self.address = address
        webSocket = other
    }

    var socket: ObjectIdentifier { ObjectIdentifier(webSocket ?? self) }

    func begin() { state.withLock { $0.beginnings += 1 } }

    func fail(_ error: any Error) { state.withLock { $0.failures += 1 } }

    func send(_ event: LiveEvent) { state.withLock { $0.events.append(event) } }

    func goAway() { state.withLock { $0.departures += 1 } }

    var events: [LiveEvent] { state.withLock { $0.events } }

    /// How often it was told that its events begin, or that they cannot.
    var answers: (beginnings: Int, failures: Int) { state.withLock { ($0.beginnings, $0.failures) } }

    /// How often it was sent away.
    var departures: Int { state.withLock { $0.departures } }

    /// The events as lines: the kind, the updated keys and the members of the object, without those of every object.
    var lines: [String] { events.map(LiveClient.line) }

    static func line(_ event: LiveEvent) -> String {
        var members = (try? JSONValue(parsing: event.object, field: "object"))?.objectValue ?? [:]
        for name in ["objectId", "createdAt", "updatedAt", "__type", "className"] { members[name] = nil }
        return
            ([event.kind.rawValue]
            + [event.updatedKeys, JSONValue.object(members).encoded()].compactMap(\.self)
            .map { String(decoding: $0, as: UTF8.self) }).joined(separator: " ")
    }
}
