import Domain
import PCREPatterns
import Support
import Testing

@testable import PostgresStore

@Suite struct IndexTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    private func object(_ number: Int, _ fields: [String: JSONValue]) throws -> StoredObject {
        let time = Timestamp(milliseconds: Int64(number))
        return StoredObject(
            id: try #require(ObjectID("object\(number)")),
            createdAt: time,
            updatedAt: time,
            fields: fields
        )
    }

    @Test("a unique index tells long values apart that begin alike, and refuses equal ones")
    func longValues() async throws {
        try await Engine.withStore { store in
            let index = IndexDefinition(fields: [FieldPath(field: "s")], isUnique: true)
            let long = String(repeating: "長", count: 5000)
            let (first, other, same) = (
                try object(1, ["s": .string(long)]), try object(2, ["s": .string(long + "a")]),
                try object(3, ["s": .string(long)])
            )
            try await store.write { writer in
                let fields = ["s": FieldDefinition(.string)]
                try writer.save(ClassSchema(name: IndexTests.task, fields: fields, indexes: [index]))
                for object in [first, other] { try writer.insert(object, into: IndexTests.task) }
            }
            await expectFailure(.duplicateValue) {
                try await store.write { try $0.insert(same, into: IndexTests.task) }
            }
            let condition = Condition.field(FieldPath(field: "s"), .equals(.string(long)))
            #expect(try await store.read { try $0.count(condition, in: IndexTests.task) } == 1)
        }
    }

    @Test("an index serves equality, comparison, lists, prefixes and order")
    func plans() async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, readers: 2)
            try await fill(store)
            // Tables of other tests can be locked.
            try PostgresConnection(address).run("ANALYZE (SKIP_LOCKED)")
            for (text, order) in [
                (#"{"s":"text 77"}"#, ""), (#"{"s":{"$in":["text 7","text 8"]}}"#, ""),
                (#"{"s":{"$regex":"^text 77"}}"#, ""), (#"{"n":{"$gt":2990}}"#, ""), (#"{"o.k":77}"#, ""),
                (#"{"createdAt":{"$lt":\#(IndexTests.date)}}"#, ""), ("{}", "s"), ("{}", "-n"), ("{}", "createdAt"),
            ] {
                var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
                let condition = try parser.parse(try JSONValue(parsing: Array(text.utf8), field: "where"))
                let query = ObjectQuery(
                    IndexTests.task,
                    where: condition,
                    order: try SortKey.list(order),
                    page: try Page(limit: 10)
                )
                let explanation = try await store.read { try $0.explain(query, counting: false) }
                let plan = explanation?.plan.joined(separator: "\n") ?? ""
                #expect(plan.contains("Index") && !plan.contains("Seq Scan"), "\(text) \(order): \(plan)")
            }
            try await store.close()
        }
    }

    @Test("the index of a point has the expression of its conditions, which stored indexes have")
    func points() throws {
        let schema = ClassSchema(name: IndexTests.task, fields: ["g": FieldDefinition(.geoPoint)])
        let path = FieldPath(field: "g")
        let latitude = KeySQL.latitude(path, in: schema)
        #expect(latitude == "((keys -> 'g' -> '\u{2}' ->> 0)::float8)")
        #expect(KeySQL.indexed(path, in: schema, isUnique: false) == "\(latitude) NULLS FIRST")
    }

    @Test("the removal of an index is refused while a dump reads the class, with that reason, and changes nothing")
    func removal() async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, readers: 2, lookups: 2)
            try await fill(store)
            let reader = try PostgresConnection(address)
            let number = try reader.run("SELECT number FROM class WHERE name = 'Task'").integer(0, 0) ?? 0
            reader.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try reader.run(SQL(text: "SELECT count(*) FROM class_\(number)"))
            @Sendable func removeIndexes() async throws {
                try await store.write { writer in
                    var schema = try #require(try writer.schema(of: IndexTests.task))
                    schema.indexes = []
                    try writer.save(schema)
                }
            }
            let failure = await #expect(throws: ServiceError.self) { try await removeIndexes() }
            #expect(failure?.code == .overloaded && failure?.message.contains("being read") == true)
            let indexes = try await store.read { try $0.schema(of: IndexTests.task)?.indexes.count }
            #expect(indexes == 3)
            try await store.write { try $0.save(ClassSchema(name: ClassName("Other"))) }
            reader.later("COMMIT")
            try reader.flush()
            try await removeIndexes()
            #expect(try await store.read { try $0.schema(of: IndexTests.task)?.indexes } == [])
            try await store.close()
        }
    }

    private static let date = #"{"__type":"Date","iso":"1970-01-01T00:00:00.020Z"}"#

    private func fill(_ store: PostgresObjectStore) async throws {
        let indexes = try ["s", "n", "o.k"].map { IndexDefinition(fields: [try FieldPath($0)]) }
        let objects = try (0..<3000).map { number in
            try object(
                number,
                [
                    "s": .string("text \(number)"), "n": .integer(Int64(number)),
                    "o": .object(["k": .integer(Int64(number))]),
                ]
            )
        }
        try await store.write { writer in
            let types: [String: FieldType] = ["s": .string, "n": .number, "o": .object]
            let fields = types.mapValues { FieldDefinition($0) }
            try writer.save(ClassSchema(name: IndexTests.task, fields: fields, indexes: indexes))
            for object in objects { try writer.insert(object, into: IndexTests.task) }
        }
    }
}
