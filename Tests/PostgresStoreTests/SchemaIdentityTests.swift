import Domain
import Support
import Testing

@testable import PostgresStore

/// A schema that is not the one that a server knows.
@Suite struct SchemaIdentityTests {
    @Test("a start that expects the id of a schema refuses another one, and creates none", arguments: [false, true])
    func start(isCreatedAnew: Bool) async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, readers: 2, lookups: 2)
            let id = store.id
            try await store.close()
            let again = try PostgresObjectStore(address, expecting: id, readers: 2, lookups: 2)
            #expect(again.id == id)
            try await again.close()
            try PreparedSchema.drop(address)
            if isCreatedAnew { try await PostgresObjectStore(address, readers: 2, lookups: 2).close() }
            let failure = #expect(throws: OpenFailure.self) { try PostgresObjectStore(address, expecting: id) }
            #expect(failure?.message.contains("was created anew") == true)
            let found = try PostgresConnection(address).run("SELECT to_regnamespace(\(address.schema))")
            #expect(found.isNull(0, 0) == !isCreatedAnew)
        }
    }

    @Test(
        "a server does not go on in a schema that was created anew while it ran, also on open connections",
        arguments: [true, false]
    )
    func running(losesConnections: Bool) async throws {
        try await Engine.withAddress { plain in
            let address = plain.named(plain.schema)
            let name = try ClassName("Task")
            let store = try PostgresObjectStore(address, readers: 2, lookups: 2)
            try await store.write { try $0.save(ClassSchema(name: name)) }
            try PreparedSchema.drop(plain)
            let other = try PostgresObjectStore(plain, readers: 2, lookups: 2)
            // As many changes as the server knows, and more, so that only the id tells that the schema is another one.
            let names = Set(try ["One", "Two"].map { try ClassName($0) })
            for name in names { try await other.write { try $0.save(ClassSchema(name: name)) } }
            if losesConnections { try Engine.endConnections(of: address) }
            await expectFailure(.unavailable) { try await store.write { try $0.save(ClassSchema(name: name)) } }
            await expectFailure(.unavailable) { _ = try await store.read { try $0.schemas() } }
            let schemas = try await other.read { try $0.schemas() }
            #expect(Set(schemas.map(\.name)) == names)
            try await store.close()
            try await other.close()
        }
    }
}
