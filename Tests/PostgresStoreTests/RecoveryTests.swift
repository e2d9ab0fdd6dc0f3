import Domain
import Support
import Testing

@testable import PostgresStore

/// Lost connections, and databases of other versions.
@Suite struct RecoveryTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    @Test("after the loss of all connections reads, writes and changes go on, and subscribers know what they missed")
    func losses() async throws {
        try await Engine.withAddress { plain in
            let address = plain.named(plain.schema)
            let (first, second) = (try PostgresObjectStore(address), try PostgresObjectStore(plain))
            try await first.write { try $0.save(ClassSchema(name: RecoveryTests.task)) }
            let events = first.changes.buffer([ChangeFilter(RecoveryTests.task)], count: 100, size: 1 << 20)
            var reader = events.makeAsyncIterator()
            for number in 0..<3 {
                try Engine.endConnections(of: address)
                let object = StoredObject(
                    id: try #require(ObjectID("object\(number)")),
                    createdAt: .now(),
                    updatedAt: .now(),
                    fields: [:]
                )
                try await second.write { try $0.insert(object, into: RecoveryTests.task) }
                #expect(try await first.read { try $0.row(object.id, in: RecoveryTests.task) } != nil)
                // Whether the listener noticed the loss before it read the log decides what comes first.
                var found = false
                while !found, let event = await reader.next(isolation: nil) {
                    if case .changes(let changes) = event { found = changes.contains { $0.id == object.id } }
                }
                _ = try await first.write { try $0.delete(object.id, in: RecoveryTests.task) }
            }
            try await first.close()
            try await second.close()
        }
    }

    @Test("a write whose transaction was lost runs again, and counts once")
    func repetition() async throws {
        try await Engine.withAddress { plain in
            let address = plain.named(plain.schema)
            let store = try PostgresObjectStore(address)
            try await store.write { try $0.save(ClassSchema(name: RecoveryTests.task)) }
            let runs = Counter()
            let id = try #require(ObjectID("a"))
            try await store.write { writer in
                let object = StoredObject(id: id, createdAt: .now(), updatedAt: .now(), fields: [:])
                try writer.insert(object, into: RecoveryTests.task)
                if runs.next() == 0 { try Engine.endConnections(of: address) }
                _ = try writer.row(id, in: RecoveryTests.task)
            }
            #expect(runs.value == 2)
            #expect(try await store.read { try $0.count(ObjectQuery(RecoveryTests.task)) } == 1)
            try await store.close()
        }
    }

    @Test("a server that cannot be reached is an error with the status for coming back later")
    func unreachable() async throws {
        let address = PostgresAddress(url: "postgres://postgres@127.0.0.1:1/postgres", timeout: 2)
        let failure = #expect(throws: OpenFailure.self) { try PostgresObjectStore(address) }
        #expect(failure?.message.contains("cannot be opened") == true)
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address)
            try await store.close()
            await #expect(throws: (any Error).self) { try await store.read { try $0.schemas() } }
            await #expect(throws: (any Error).self) { try await store.write { try $0.schemas() } }
        }
    }

    @Test("while the database cannot be reached, each call fails with a message that says so, and the status 503")
    func unreachableLater() async throws {
        try await Engine.withAddress { direct in
            let (proxy, address) = try LossyProxy.between(direct)
            let store = try PostgresObjectStore(address)
            proxy.close()
            try Engine.endConnections(of: address, through: direct)
            func refusal(_ call: () async throws -> Void) async -> String {
                do {
                    try await call()
                    return "answered"
                } catch {
                    let error = error as? ServiceError
                    return "\(error?.code.description ?? "") \(error?.message ?? "")"
                }
            }
            let expected = "unavailable The server's database cannot be reached."
            let schema = ClassSchema(name: RecoveryTests.task)
            #expect(await refusal { _ = try await store.read(within: nil) { try $0.schemas() } } == expected)
            #expect(await refusal { try await store.write { try $0.save(schema) } } == expected)
            #expect(await refusal { _ = try await store.coordination?.hasPublishedCallers() } == expected)
            try await store.close()
        }
    }

    @Test("several servers create the tables at the same time")
    func creation() async throws {
        try await Engine.withAddress { address in
            let stores = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try PostgresObjectStore(address) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await withThrowingTaskGroup { group in
                for store in stores { group.addTask { try await store.prepare() } }
                try await group.waitForAll()
            }
            for store in stores {
                #expect(try await store.read { try $0.schemas().count } == ClassSchema.builtIn.count)
                try await store.close()
            }
        }
    }

    @Test("an older server refuses the tables of a newer one")
    func newer() async throws {
        try await Engine.withAddress { address in
            try await PostgresObjectStore(address).close()
            try PostgresConnection(address).run("INSERT INTO migration (version) VALUES (1000)")
            let failure = #expect(throws: OpenFailure.self) { try PostgresObjectStore(address) }
            #expect(failure?.message.contains("later lcfile") == true)
        }
    }
}
