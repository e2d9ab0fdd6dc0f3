import Dispatch
import Domain
import Support
import Testing

@testable import PostgresStore

/// Reads whose first call is that of one object, for which the store begins no transaction.
@Suite struct SnapshotTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    private func object(_ id: String, _ number: Int64) throws -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        return StoredObject(
            id: try #require(ObjectID(id)),
            createdAt: time,
            updatedAt: time,
            fields: ["n": .integer(number)]
        )
    }

    private func fill(_ store: PostgresObjectStore) async throws {
        let (a, b) = (try object("a", 0), try object("b", 0))
        try await store.write { writer in
            try writer.save(ClassSchema(name: SnapshotTests.task, fields: ["n": FieldDefinition(.number)]))
            for object in [a, b] { try writer.insert(object, into: SnapshotTests.task) }
        }
    }

    /// Changes both objects in one transaction of another server, and returns after its commit; blocks.
    private func change(_ store: PostgresObjectStore, to number: Int64) throws {
        let (a, b) = (try object("a", number), try object("b", number))
        let done = DispatchSemaphore(value: 0)
        Task {
            defer { done.signal() }
            try await store.write { writer in
                for object in [a, b] { try writer.update(object, in: SnapshotTests.task) }
            }
        }
        done.wait()
    }

    private func number(_ id: String, _ reader: any ReadTransaction) throws -> Int64? {
        try reader.object(try #require(ObjectID(id)), in: SnapshotTests.task)?.fields["n"]?.integerValue
    }

    @Test("a read sees one state, also if objects change after its first one")
    func changed() async throws {
        try await Engine.withStores(2) { stores in
            try await fill(stores[0])
            // It has the schema then, and needs no run to read it.
            #expect(try await stores[1].read { try number("a", $0) } == 0)
            let runs = Counter()
            let found = try await stores[1].read { [self] reader in
                let first = try number("a", reader)
                // At each run: the second one is a snapshot.
                try change(stores[0], to: Int64(runs.next()) + 1)
                return [first, try number("b", reader), try number("a", reader)]
            }
            #expect(Set(found).count == 1, "\(found)")
            #expect(runs.value == 2)
        }
    }

    @Test("a read whose objects do not change runs once")
    func unchanged() async throws {
        try await Engine.withStores(1) { stores in
            try await fill(stores[0])
            let runs = Counter()
            let found = try await stores[0].read { [self] reader in
                _ = runs.next()
                return [try number("a", reader), try number("missing", reader), try number("b", reader)]
            }
            #expect(found == [0, nil, 0])
            #expect(runs.value == 1)
        }
    }

    @Test("a read of one object uses the schema that another server has changed")
    func schema() async throws {
        try await Engine.withStores(2) { stores in
            try await fill(stores[0])
            #expect(try await stores[1].read { try number("a", $0) } == 0)
            var schema = ClassSchema(name: SnapshotTests.task, fields: ["n": FieldDefinition(.number)])
            schema.fields["s"] = FieldDefinition(.string)
            try await stores[0].write { [schema] in try $0.save(schema) }
            let fields = try await stores[1].read { [self] reader in
                _ = try number("a", reader)
                return try reader.schema(of: SnapshotTests.task)?.fields.count
            }
            #expect(fields == 2)
        }
    }
}
