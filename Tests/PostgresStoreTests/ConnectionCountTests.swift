import Domain
import Support
import Testing

@testable import PostgresStore

/// How many connections a store opens.
@Suite struct ConnectionCountTests {
    @Test("with all of its work at the same time a store has the connections of its threads, and its own ones")
    func most() async throws {
        try await Engine.withAddress { plain in
            let address = PostgresAddress(
                url: plain.url,
                schema: plain.schema,
                applicationName: plain.schema,
                timeout: 600
            )
            let store = try PostgresObjectStore(address, readers: 3, lookups: 2, quickIndexRows: 0)
            let coordination = try Engine.coordination(store)
            let (task, indexed) = (try ClassName("Task"), try ClassName("Indexed"))
            let time = Timestamp(milliseconds: 0)
            let object = StoredObject(id: try #require(ObjectID("a")), createdAt: time, updatedAt: time, fields: [:])
            try await store.write { writer in
                try writer.save(ClassSchema(name: task))
                try writer.save(ClassSchema(name: indexed, fields: ["n": FieldDefinition(.number)]))
                try writer.insert(object, into: indexed)
            }
            // The building of an index waits for an older transaction, and all else for a lock.
            // They wait in a transaction for longer than the usual timeout.
            let outside = address.named("outside")
            let (older, other) = (try PostgresConnection(outside), try PostgresConnection(outside))
            older.later("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try older.run("SELECT count(*) FROM state")
            let building = Task {
                try await store.write { writer in
                    let index = IndexDefinition(fields: [FieldPath(field: "n")])
                    let fields = ["n": FieldDefinition(.number)]
                    try writer.save(ClassSchema(name: indexed, fields: fields, indexes: [index]))
                }
            }
            let isBuilding: SQL = """
                SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' \
                AND application_name = \(address.applicationName)
                """
            try await eventually { try other.run(isBuilding).count == 1 }
            try await coordination.lock(["a"], .app)
            let number = try other.run("SELECT number FROM class WHERE name = 'Task'").integer(0, 0) ?? 0
            other.later("BEGIN")
            try other.run(SQL(text: "LOCK TABLE turn, lease, class_\(number) IN ACCESS EXCLUSIVE MODE"))
            let waiting = Task {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<5 {
                        group.addTask { _ = try await store.read { try $0.row(object.id, in: task) } }
                        group.addTask {
                            _ = try await store.read(within: QueryBudget(seconds: 600)) { reader in
                                try reader.rows(ObjectQuery(task))
                            }
                        }
                        group.addTask { _ = try await coordination.take([.mails], for: "a", lasting: .seconds(60)) }
                        group.addTask { try await store.write { try $0.insert(object, into: task) } }
                    }
                    try await group.waitForAll()
                }
            }
            let count: SQL = """
                SELECT count(*) FROM pg_stat_activity WHERE application_name = \(address.applicationName)
                """
            let most = Int64(3 + 2 + PostgresObjectStore.ownConnections)
            try await eventually { try PostgresConnection(plain).run(count).integer(0, 0) == most }
            for connection in [older, other] {
                connection.later("ROLLBACK")
                try connection.flush()
            }
            _ = await (waiting.result, building.result)
            try await store.close()
        }
    }
}
