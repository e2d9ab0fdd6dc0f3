import Domain
import Testing

@testable import PostgresStore

/// What the database sends for a reply that has no space for all objects of its page.
@Suite struct ReplyTransferTests {
    private static let name: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()
    /// The size of an object and the number of objects.
    private static let (size, count) = (100_000, 100)

    private func fill(_ store: PostgresObjectStore) async throws -> Set<ObjectID> {
        let text = JSONValue.string(String(repeating: "x", count: ReplyTransferTests.size))
        let objects = try (0..<ReplyTransferTests.count).map { number in
            StoredObject(
                id: try #require(ObjectID("object\(number)")),
                createdAt: .now(),
                updatedAt: .now(),
                fields: ["s": text, "n": .integer(Int64(-number))]
            )
        }
        try await store.write { writer in
            let fields = ["s": FieldDefinition(.string), "n": FieldDefinition(.number)]
            try writer.save(ClassSchema(name: ReplyTransferTests.name, fields: fields))
            for object in objects { try writer.insert(object, into: ReplyTransferTests.name) }
        }
        return Set(objects.map(\.id))
    }

    @Test("the database sends the objects that the reply has space for, and few more")
    func transfer() async throws {
        try await Engine.withAddress { direct in
            // Another store, whose reading of its own log would count.
            let writing = try PostgresObjectStore(direct)
            let ids = try await fill(writing)
            try await writing.close()
            let (proxy, address) = try LossyProxy.between(direct)
            defer { proxy.close() }
            let store = try PostgresObjectStore(address)
            let space = ReplyTransferTests.size * 7 / 2
            let query = ObjectQuery(
                ReplyTransferTests.name,
                order: [SortKey(FieldPath(field: "n"))],
                page: try Page(limit: ReplyTransferTests.count),
                replySize: space
            )
            var former = proxy.receivedCount
            let found = try await store.read { try $0.rows(query) }
            #expect(found.map(\.id.description) == (97...99).reversed().map { "object\($0)" })
            #expect(proxy.receivedCount - former < 2 * space)
            former = proxy.receivedCount
            let listed = try await store.read { reader in
                try reader.rows(ids, in: ReplyTransferTests.name, readableBy: .unrestricted, upTo: space)
            }
            #expect(listed.count == 3)
            #expect(proxy.receivedCount - former < 2 * space)
            try await store.close()
        }
    }
}
