import Domain
import Logging
import Support
import Synchronization
import Testing

@testable import PostgresStore

/// What a new connection finds of the changes that its server knows.
@Suite struct TimelineCheckTests {
    /// What happened to a log of three transactions that a server has published.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        var statements: [String] = []
        /// The number of the last transaction that is published afterwards.
        var published: Int64 = 3
        /// Whether a new timeline begins.
        var isNew = true
        /// The level of the line in the log about it.
        var level = Logger.Level.warning
    }

    /// The levels of the lines of a log.
    private struct Levels: LogHandler {
        final class List: Sendable {
            private let levels = Mutex<[Logger.Level]>([])
            var all: [Logger.Level] { levels.withLock(\.self) }
            func add(_ level: Logger.Level) { levels.withLock { $0.append(level) } }
        }

        let list: List
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(_ list: List) {
            self.list = list
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            list.add(event.level)
        }
    }

    private static let cases: [Case] = [
        Case(testDescription: "nothing", isNew: false),
        Case(
            testDescription: "one more transaction",
            statements: ["UPDATE state SET last_change = 4", "INSERT INTO change_log VALUES (4, 'other')"],
            isNew: false
        ),
        Case(
            testDescription: "the last transaction is lost",
            statements: ["UPDATE state SET last_change = 2", "DELETE FROM change_log WHERE number = 3"],
            published: 2
        ),
        Case(
            testDescription: "another server has written a transaction with its number",
            statements: ["UPDATE change_log SET server = 'third' WHERE number = 3"]
        ),
        Case(
            testDescription: "the same server has written another one with its number",
            statements: ["UPDATE change_log SET at = at + interval '1 microsecond' WHERE number = 3"]
        ),
        Case(
            testDescription: "there are more transactions after another one with its number",
            statements: [
                "UPDATE state SET last_change = 4", "UPDATE change_log SET server = 'third' WHERE number = 3",
                "INSERT INTO change_log VALUES (4, 'third')",
            ],
            published: 4
        ),
        Case(
            testDescription: "the log does not have it any more",
            statements: [
                "UPDATE state SET last_change = 5", "DELETE FROM change_log",
                "INSERT INTO change_log VALUES (5, 'other')",
            ],
            published: 5,
            level: .info
        ),
        Case(
            testDescription: "the log is empty",
            statements: ["UPDATE state SET last_change = 5", "DELETE FROM change_log"],
            published: 5,
            level: .info
        ),
    ]

    @Test(
        "a loss is noticed when a server connects; a log that is too short to tell is no reason for a warning",
        arguments: cases
    )
    func connecting(example: Case) async throws {
        try await Engine.withAddress { address in
            let connection = try PostgresConnection(address)
            try SchemaMigration.run(connection, schema: address.schema)
            try connection.run("UPDATE state SET last_change = 3")
            try connection.run("INSERT INTO change_log SELECT number, 'other' FROM generate_series(1, 3) AS number")
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own")
            relay.begin(after: 0)
            try relay.relay(connection)
            let catalog = SharedPostgresCatalog(PostgresCatalog())
            let lines = Levels.List()
            let id = try connection.run("SELECT id FROM identity").text(0, 0) ?? ""
            let check = TimelineCheck(relay, catalog, id: id, logger: Logger(label: "test") { _ in Levels(lines) })
            for statement in example.statements { try connection.run(SQL(text: statement)) }
            let missed = Counter()
            relay.feed.subscribe(to: [ChangeFilter(nil)]) { event in
                if case .missed = event { _ = missed.next() }
            }
            // A second connection finds what the server knows by then.
            for _ in 0..<2 {
                let new = try PostgresConnection(address, beginning: check.begin)
                #expect(new.timeline == (example.isNew ? 1 : 0))
            }
            #expect(missed.value == (example.isNew ? 1 : 0))
            #expect(lines.all == (example.isNew ? [example.level] : []))
            #expect(relay.published == example.published)
            // The catalog of the former timeline is replaced, also by one of a smaller version.
            #expect(catalog.current.version == (example.isNew ? 0 : -1))
            guard example.isNew else { return }
            // The first connection is of the former timeline.
            #expect(throws: PostgresError.self) { try relay.relay(connection) }
            #expect(connection.isLost)
            #expect(missed.value == 1)
        }
    }

    @Test("a schema with another id than the one of the start is refused")
    func otherSchema() async throws {
        try await Engine.withAddress { address in
            let connection = try PostgresConnection(address)
            try SchemaMigration.run(connection, schema: address.schema)
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own")
            let check = TimelineCheck(relay, SharedPostgresCatalog(PostgresCatalog()), id: "another")
            let failure = #expect(throws: PostgresError.self) {
                try PostgresConnection(address, beginning: check.begin)
            }
            #expect(failure?.isLoss == true)
            #expect(relay.position.timeline == 0)
        }
    }

    @Test("a log that is shorter than what is published ends the connection that reads it")
    func reading() async throws {
        try await Engine.withAddress { address in
            let connection = try PostgresConnection(address)
            try SchemaMigration.run(connection, schema: address.schema)
            let relay = ChangeRelay(feed: ChangeFeed(), server: "own")
            relay.begin(after: 1)
            let failure = #expect(throws: PostgresError.self) { try relay.relay(connection) }
            #expect(failure?.isLoss == true)
            #expect(connection.isLost)
            #expect(relay.published == 1)
        }
    }

    @Test("an own transaction that was committed on a former timeline is missed, and does not count as published")
    func ownTransaction() {
        let relay = ChangeRelay(feed: ChangeFeed(), server: "own")
        let known = relay.position
        var timelines: [Int] = []
        let isFirst = relay.restart(after: LogEntry(number: 5), insteadOf: known) { timelines.append($0) }
        let isRepeated = relay.restart(after: LogEntry(number: 4), insteadOf: known) { timelines.append($0) }
        #expect(isFirst)
        #expect(!isRepeated)
        #expect(timelines == [1])
        let missed = Counter()
        relay.feed.subscribe(to: [ChangeFilter(nil)]) { event in
            if case .missed = event { _ = missed.next() }
        }
        relay.publish(relay.feed.transaction(), as: LogEntry(number: 9), in: 0)
        #expect(missed.value == 1)
        #expect(relay.published == 5)
    }

    @Test("a pool uses no idle connection of a former timeline")
    func pool() async throws {
        try await Engine.withAddress { address throws in
            let pool = ConnectionPool(address)
            #expect(try pool.withConnection { $0.timeline } == 0)
            pool.onConnect { connection in
                try connection.flush()
                connection.timeline = 1
            }
            #expect(try pool.withConnection { $0.timeline } == 0)
            #expect(try pool.connect().timeline == 1)
            #expect(try pool.withConnection { $0.timeline } == 1)
            pool.close()
        }
    }

    @Test("the transactions of all servers are known again on new connections")
    func knownTransactions() async throws {
        try await Engine.withStores(2) { stores in
            let name = try ClassName("Task")
            try await stores[0].write { try $0.save(ClassSchema(name: name)) }
            for number in 0..<4 {
                let object = StoredObject(
                    id: try #require(ObjectID("object\(number)")),
                    createdAt: .now(),
                    updatedAt: .now(),
                    fields: [:]
                )
                try await stores[number % 2].write { try $0.insert(object, into: name) }
                for store in stores { #expect(try store.pool.connect().timeline == 0) }
            }
        }
    }
}
