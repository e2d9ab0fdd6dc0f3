import Domain
import Support
import Testing

@testable import PostgresStore

/// Who is allowed to use a schema.
@Suite struct SchemaClaimTests {
    private let task: ClassName

    init() throws {
        task = try ClassName("Task")
    }

    @Test(
        "a server with blobs of its own is the only one; others share the schema among themselves",
        arguments: [
            (SchemaUse.exclusive, SchemaUse.exclusive, false), (.exclusive, .shared, false),
            (.shared, .exclusive, false), (.shared, .shared, true), (.exclusive, .tool, true),
        ]
    )
    func uses(first: SchemaUse, second: SchemaUse, isAllowed: Bool) async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, use: first)
            #expect(store.isShared == (first != .exclusive))
            #expect((store.coordination != nil) == store.isShared)
            if isAllowed {
                let other = try PostgresObjectStore(address, use: second)
                try await other.write { try $0.save(ClassSchema(name: task)) }
                try await other.close()
            } else {
                let claim = SchemaClaim(second, of: "second", schema: address.schema)
                let connection = try PostgresConnection(address)
                let failure = #expect(throws: OpenFailure.self) { try claim.take(connection, within: .zero) }
                #expect(failure?.message.contains("is used by a") == true)
            }
            _ = try await store.write { try $0.schemas() }
            try await store.close()
            // The next one gets it at once.
            let next = try PostgresObjectStore(address, use: second)
            _ = try await next.write { try $0.schemas() }
            try await next.close()
        }
    }

    @Test("a server that is alone goes on after the loss of its connections")
    func lostClaim() async throws {
        try await Engine.withAddress { plain in
            let address = plain.named(plain.schema)
            let store = try PostgresObjectStore(address, use: .exclusive)
            try Engine.endConnections(of: address)
            try await store.write { try $0.save(ClassSchema(name: task)) }
            // It takes the lock again.
            let connection = try PostgresConnection(plain)
            try await eventually {
                try connection.run(
                    """
                    SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) \
                    WHERE locktype = 'advisory' AND application_name = \(address.applicationName))
                    """
                ).boolean(0, 0)
            }
            // It waits for as long as a connection attempt can take.
            let hasty = PostgresAddress(url: plain.url, schema: plain.schema, timeout: 1)
            #expect(throws: OpenFailure.self) { try PostgresObjectStore(hasty, use: .exclusive) }
            _ = try await store.write { try $0.schemas() }
            try await store.close()
        }
    }

    @Test("a server that lost its connection writes nothing after another one took the schema, and then reads nothing")
    func takenSchema() async throws {
        try await Engine.withAddress { plain in
            let (proxy, address) = try LossyProxy.between(plain, timeout: 5)
            let store = try PostgresObjectStore(address, use: .exclusive)
            try await store.write { try $0.save(ClassSchema(name: task)) }
            // It cannot connect any more, but has a connection for changes.
            proxy.close()
            try Engine.endConnections(of: address, running: "change_log", through: plain)
            let other = try PostgresObjectStore(plain, use: .exclusive)
            await expectFailure(.unavailable) { _ = try await store.write { try $0.schemas() } }
            await expectFailure(.unavailable) { _ = try await store.read { try $0.schemas() } }
            _ = try await other.write { try $0.schemas() }
            try await store.close()
            try await other.close()
        }
    }

    @Test(
        "a server that is alone goes on after a restore to a time before its start, also if it keeps its connections",
        arguments: [true, false]
    )
    func restoredHolder(losesConnections: Bool) async throws {
        try await Engine.withAddress { plain in
            let connection = try PostgresConnection(plain)
            func holder() throws -> String? { try connection.run("SELECT holder FROM state").text(0, 0) }
            let first = try PostgresObjectStore(plain, use: .exclusive)
            try await first.write { try $0.save(ClassSchema(name: task)) }
            try await first.close()
            let former = try #require(try holder())
            let address = plain.named(plain.schema)
            let store = try PostgresObjectStore(address, use: .exclusive)
            let own = try holder()
            try connection.run("UPDATE state SET holder = \(former)")
            await expectFailure(.unavailable) { try await store.write { try $0.save(ClassSchema(name: task)) } }
            if losesConnections { try Engine.endConnections(of: address) }
            try await eventually { (try? await store.write { try $0.save(ClassSchema(name: task)) }) != nil }
            #expect(try holder() == own)
            try await store.close()
        }
    }
}
