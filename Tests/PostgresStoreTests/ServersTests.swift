import Domain
import Support
import Testing

@testable import PostgresStore

/// Several stores on the same objects, as several servers have them.
@Suite struct ServersTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    private func object(_ id: String, _ number: Int64 = 1) throws -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        return StoredObject(
            id: try #require(ObjectID(id)),
            createdAt: time,
            updatedAt: time,
            fields: ["n": .integer(number)]
        )
    }

    private func makeClass(_ store: PostgresObjectStore) async throws {
        let schema = ClassSchema(name: ServersTests.task, fields: ["n": FieldDefinition(.number)])
        try await store.write { try $0.save(schema) }
    }

    @Test("the changes of another server arrive once, in order, with their states")
    func changes() async throws {
        try await Engine.withStores(2) { stores in
            try await makeClass(stores[0])
            let events = stores[1].changes.buffer(
                [ChangeFilter(ServersTests.task, states: [.before, .after])],
                count: 100,
                size: 1 << 20
            )
            let (a, b) = (try object("a"), try object("a", 2))
            try await stores[0].write { try $0.insert(a, into: ServersTests.task) }
            try await stores[0].write { try $0.update(b, in: ServersTests.task) }
            _ = try await stores[0].write { try $0.delete(a.id, in: ServersTests.task) }
            var lines: [String] = []
            var reader = events.makeAsyncIterator()
            while lines.count < 3, let event = await reader.next(isolation: nil) {
                guard case .changes(let changes) = event else {
                    lines.append("missed")
                    continue
                }
                for change in changes {
                    let states = try [change.before, change.after].map { try $0?.object().fields["n"]?.integerValue }
                    lines.append("\(change.kind) \(change.id) \(states[0] ?? 0) \(states[1] ?? 0)")
                }
            }
            #expect(lines == ["created a 0 1", "updated a 1 2", "deleted a 2 0"])
        }
    }

    @Test("a class that one server creates is there on the others with their next transaction")
    func schemas() async throws {
        try await Engine.withStores(2) { stores in
            try await makeClass(stores[0])
            #expect(try await stores[1].read { try $0.schema(of: ServersTests.task) } != nil)
            let name = try ClassName("Other")
            try await stores[0].write { try $0.save(ClassSchema(name: name)) }
            let a = try object("a")
            try await stores[1].write { try $0.insert(a, into: name) }
            #expect(try await stores[0].read { try $0.count(ObjectQuery(name)) } == 1)
        }
    }

    @Test(
        "servers hear of each other's changes in a schema whose name is as long as PostgreSQL allows",
        arguments: [52, 53, 63]
    )
    func longNames(length: Int) async throws {
        try await Engine.withAddress { plain in
            let schema = plain.schema + String(repeating: "x", count: length - plain.schema.utf8.count)
            let address = PostgresAddress(url: plain.url, schema: schema)
            // Earlier versions have this name for the schemas with which it is not too long.
            #expect((ChangeListener.channel(address) == "changes of \(schema)") == (length == 52))
            let result: Result<Void, any Error>
            do {
                let stores = try (0..<2).map { _ in try PostgresObjectStore(address, readers: 2, lookups: 2) }
                try await makeClass(stores[1])
                let log = ChangeLog(of: stores[1], [ChangeFilter(ServersTests.task)])
                let a = try object("a")
                try await stores[0].write { try $0.insert(a, into: ServersTests.task) }
                try await eventually { log.lines == ["created a"] }
                for store in stores { try await store.close() }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try PreparedSchema.drop(address)
            try result.get()
        }
    }

    @Test("bodies of several servers run as if one after the other")
    func increments() async throws {
        try await Engine.withStores(3) { stores in
            try await makeClass(stores[0])
            let a = try object("a", 0)
            try await stores[0].write { try $0.insert(a, into: ServersTests.task) }
            let log = ChangeLog(of: stores[0], [ChangeFilter(ServersTests.task, [.updated], states: .after)])
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        try await stores[number % 3].write { writer in
                            var object = try #require(try writer.object(a.id, in: ServersTests.task))
                            object.fields["n"] = .integer((object.fields["n"]?.integerValue ?? 0) + 1)
                            try writer.update(object, in: ServersTests.task)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let object = try await stores[1].read { try $0.object(a.id, in: ServersTests.task) }
            #expect(object?.fields["n"] == .integer(60))
            // A change of the first server is published after all that were committed before it.
            try await stores[0].write { try $0.update(a, in: ServersTests.task) }
            #expect(log.lines == (1...60).map { "updated a after \($0)" } + ["updated a after 0"])
        }
    }

    @Test("a change that waits too long for the turn is refused, while reads go on")
    func turn() async throws {
        try await Engine.withAddress { plain in
            // A change waits for as long as a connection attempt can take.
            let store = try PostgresObjectStore(
                PostgresAddress(url: plain.url, schema: plain.schema, timeout: 2)
            )
            try await makeClass(store)
            let other = try PostgresConnection(plain)
            other.later("BEGIN")
            other.takeTurn()
            try other.flush()
            let a = try object("a")
            await expectFailure(.overloaded) { try await store.write { try $0.insert(a, into: ServersTests.task) } }
            #expect(try await store.read { try $0.count(ObjectQuery(ServersTests.task)) } == 0)
            other.later("ROLLBACK")
            try other.flush()
            try await store.write { try $0.insert(a, into: ServersTests.task) }
            #expect(try await store.read { try $0.count(ObjectQuery(ServersTests.task)) } == 1)
            try await store.close()
        }
    }

    @Test("the wait for the writes that run does not wait for another server, nor for a write without the turn")
    func waitWithoutTurn() async throws {
        try await Engine.withStores(1) { stores in
            try await makeClass(stores[0])
            let other = try PostgresConnection(stores[0].address)
            other.later("BEGIN")
            other.takeTurn()
            try other.flush()
            // A write with the turn of its own would wait for ten seconds.
            let duration = await ContinuousClock().measure { await stores[0].awaitRunningWrites() }
            #expect(duration < .seconds(5))
            let a = try object("a")
            async let written: Void = stores[0].write { try $0.insert(a, into: ServersTests.task) }
            let waiting: SQL = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'turn'::regclass"
            try await eventually { try other.run(waiting).count == 1 }
            await stores[0].awaitRunningWrites()
            #expect(try other.run(waiting).count == 1)
            other.later("ROLLBACK")
            try other.flush()
            try await written
        }
    }

    @Test("numbers and quotas are exact when several servers count")
    func numbers() async throws {
        try await Engine.withStores(3) { stores in
            try await makeClass(stores[0])
            let numbers = try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        try await stores[number % 3].write { try $0.nextNumber(of: "n", in: ServersTests.task) }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.sorted() == Array(1...60))
        }
    }
}
