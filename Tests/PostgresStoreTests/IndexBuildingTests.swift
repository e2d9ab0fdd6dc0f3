import Domain
import Support
import Testing

@testable import PostgresStore

/// Indexes of classes with more rows than a transaction builds one for.
@Suite struct IndexBuildingTests {
    private static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()
    private static let plain = IndexDefinition(fields: [FieldPath(field: "n")])
    private static let unique = IndexDefinition(fields: [FieldPath(field: "n")], isUnique: true)

    @Test("reads and changes go on while an index is built, on all servers; then queries use it")
    func concurrently() async throws {
        try await withStores(2, timeout: 2) { stores, address in
            try await fill(stores[0], 200)
            try await whileBuilding(IndexBuildingTests.plain, stores[0], address) {
                for (number, store) in stores.enumerated() {
                    let object = try object("new\(number)", 1000)
                    try await store.write { try $0.insert(object, into: IndexBuildingTests.task) }
                    #expect(try await store.read { try $0.row(object.id, in: IndexBuildingTests.task) } != nil)
                }
                // A second one waits for a while, but not with the turn.
                for store in stores {
                    await expectFailure(.overloaded) {
                        try await add(IndexDefinition(fields: [FieldPath(field: "s")]), to: store)
                    }
                }
            }
            for store in stores { #expect(try await indexes(of: store) == [IndexBuildingTests.plain]) }
            #expect(try await isUsed(stores[1]))
        }
    }

    @Test("the statistics of a class are there with its new index", arguments: [0, 1000])
    func statistics(quickRows: Int) async throws {
        try await withStores(1, quickRows: quickRows) { stores, address in
            try await fill(stores[0], 200)
            try await add(IndexBuildingTests.plain, to: stores[0])
            let result = try PostgresConnection(address).run(
                """
                SELECT c.reltuples::bigint, count(s.attname) FROM pg_class c LEFT JOIN pg_stats s \
                ON s.schemaname = \(address.schema) AND s.tablename LIKE c.relname || '\\_%' \
                WHERE c.relkind = 'r' AND c.relname LIKE 'class\\_%' AND c.relnamespace = \(address.schema)::regnamespace \
                GROUP BY 1
                """
            )
            #expect(result.integer(0, 0) == 200)
            #expect((result.integer(0, 1) ?? 0) > 0)
        }
    }

    @Test("a unique index refuses taken values from the end of the statement on, also before the schema names it")
    func unique() async throws {
        try await withStores(2) { stores, address in
            try await fill(stores[0], 200)
            let (taken, free) = (try object("taken", 7), try object("free", 1000))
            try await whileBuilding(IndexBuildingTests.unique, stores[0], address) {
                let failure = await #expect(throws: ServiceError.self) {
                    try await stores[1].write { try $0.insert(taken, into: IndexBuildingTests.task) }
                }
                #expect(failure?.code == .duplicateValue && failure?.message.contains("'n'") == true)
                try await stores[1].write { try $0.insert(free, into: IndexBuildingTests.task) }
            }
            await expectFailure(.duplicateValue) {
                try await stores[1].write { try $0.insert(taken, into: IndexBuildingTests.task) }
            }
            #expect(try await indexes(of: stores[1]) == [IndexBuildingTests.unique])
        }
    }

    @Test("a unique index of equal values is refused, and leaves nothing")
    func duplicates() async throws {
        try await withStores(1) { stores, address in
            try await fill(stores[0], 200)
            let same = try object("same", 7)
            try await stores[0].write { try $0.insert(same, into: IndexBuildingTests.task) }
            let failure = await #expect(throws: ServiceError.self) {
                try await add(IndexBuildingTests.unique, to: stores[0])
            }
            #expect(failure?.code == .duplicateValue && failure?.message.contains("'n'") == true)
            #expect(try await indexes(of: stores[0]).isEmpty)
            #expect(try names(address).isEmpty)
            // The class takes equal values as before.
            let another = try object("another", 7)
            try await stores[0].write { try $0.insert(another, into: IndexBuildingTests.task) }
            // After the fix of the values it is built.
            _ = try await stores[0].write { try $0.delete([same.id, another.id], in: IndexBuildingTests.task) }
            try await add(IndexBuildingTests.unique, to: stores[0])
            #expect(try names(address).count == 1)
        }
    }

    @Test("two servers that want an index at the same time build it once, and different ones one after the other")
    func twoServers() async throws {
        try await withStores(2) { stores, address in
            try await fill(stores[0], 200)
            let other = IndexDefinition(fields: [FieldPath(field: "s")])
            try await withThrowingTaskGroup { group in
                for (store, index) in [
                    (stores[0], IndexBuildingTests.plain), (stores[1], IndexBuildingTests.plain), (stores[0], other),
                    (stores[1], other),
                ] {
                    group.addTask {
                        // PostgreSQL waits for the transactions of other tests, possibly longer than the others wait.
                        while true {
                            do {
                                return try await add(index, to: store)
                            } catch let error as ServiceError where error.code == .overloaded {
                                continue
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(try await indexes(of: stores[0])) == [IndexBuildingTests.plain, other])
            #expect(try names(address).count == 2)
        }
    }

    @Test("an index that a killed server was building is not used, and is built anew", arguments: [false, true])
    func killed(isRepeated: Bool) async throws {
        try await withStores(2) { stores, address in
            try await fill(stores[0], 200)
            try await interrupt(IndexBuildingTests.unique, stores[0], address)
            #expect(try await indexes(of: stores[1]).isEmpty)
            #expect(try names(address).count == 1)
            if isRepeated {
                try await add(IndexBuildingTests.unique, to: stores[1])
                #expect(try await indexes(of: stores[1]) == [IndexBuildingTests.unique])
                #expect(try await isUsed(stores[1]))
            } else {
                // As the next start of a server does.
                try await stores[1].prepare()
                try await eventually { try names(address).isEmpty }
                let taken = try object("taken", 7)
                try await stores[1].write { try $0.insert(taken, into: IndexBuildingTests.task) }
            }
        }
    }

    @Test("a class with few rows gets its index although a killed server left one with its name")
    func leftover() async throws {
        try await withStores(1) { stores, address in
            try await fill(stores[0], 200)
            try await interrupt(IndexBuildingTests.plain, stores[0], address)
            let small = try PostgresObjectStore(address, quickIndexRows: 1000)
            try await add(IndexBuildingTests.plain, to: small)
            #expect(try await isUsed(small))
            try await small.close()
        }
    }

    @Test("the end of a store cancels the building")
    func close() async throws {
        try await withStores(1) { stores, address in
            try await fill(stores[0], 200)
            let store = try PostgresObjectStore(address, quickIndexRows: 0)
            try await whileBuilding(IndexBuildingTests.plain, store, address, fails: true) {
                try await store.close()
            }
            #expect(try await indexes(of: stores[0]).isEmpty)
        }
    }

    // Steps

    private func withStores(
        _ count: Int,
        quickRows: Int = 0,
        timeout: Int = 10,
        _ body: ([PostgresObjectStore], PostgresAddress) async throws -> Void
    ) async throws {
        try await Engine.withAddress { plain in
            let address = PostgresAddress(
                url: plain.url,
                schema: plain.schema,
                applicationName: plain.schema,
                timeout: timeout
            )
            let stores = try (0..<count).map { _ in
                try PostgresObjectStore(address, readers: 2, lookups: 2, quickIndexRows: quickRows)
            }
            try await body(stores, plain)
            for store in stores { try await store.close() }
        }
    }

    private func object(_ id: String, _ number: Int64) throws -> StoredObject {
        let time = Timestamp(milliseconds: 0)
        let fields: [String: JSONValue] = ["n": .integer(number), "s": .string("text \(number)")]
        return StoredObject(id: try #require(ObjectID(id)), createdAt: time, updatedAt: time, fields: fields)
    }

    private func fill(_ store: PostgresObjectStore, _ count: Int64) async throws {
        let fields = ["n": FieldDefinition(.number), "s": FieldDefinition(.string)]
        let objects = try (0..<count).map { try object("object\($0)", $0) }
        try await store.write { writer in
            try writer.save(ClassSchema(name: IndexBuildingTests.task, fields: fields))
            for object in objects { try writer.insert(object, into: IndexBuildingTests.task) }
        }
    }

    private func add(_ index: IndexDefinition, to store: PostgresObjectStore) async throws {
        try await store.write { writer in
            var schema = try #require(try writer.schema(of: IndexBuildingTests.task))
            guard !schema.indexes.contains(index) else { return }
            schema.indexes.append(index)
            try writer.save(schema)
        }
    }

    /// Runs a body while the building waits for a transaction that is older than the index.
    private func whileBuilding(
        _ index: IndexDefinition,
        _ store: PostgresObjectStore,
        _ address: PostgresAddress,
        fails: Bool = false,
        _ body: () async throws -> Void
    ) async throws {
        let reader = try PostgresConnection(address)
        reader.later("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try reader.run("SELECT count(*) FROM state")
        async let building: Void = add(index, to: store)
        try await eventually { try isWaiting(address) }
        try await body()
        if !fails {
            reader.later("COMMIT")
            try reader.flush()
        }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await building) } catch { outcome = .failure(error) }
        if fails {
            #expect(throws: (any Error).self) { try outcome.get() }
        } else {
            try outcome.get()
        }
    }

    /// Ends the session that builds an index, as the end of its server does.
    private func interrupt(
        _ index: IndexDefinition,
        _ store: PostgresObjectStore,
        _ address: PostgresAddress
    ) async throws {
        try await whileBuilding(index, store, address, fails: true) {
            try PostgresConnection(address).run(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                WHERE application_name = \(address.schema) AND query LIKE 'CREATE%CONCURRENTLY%'
                """
            )
        }
    }

    /// Whether an index of the schema is complete but waits for older transactions.
    private func isWaiting(_ address: PostgresAddress) throws -> Bool {
        let result = try PostgresConnection(address).run(
            """
            SELECT count(*) FROM pg_stat_progress_create_index p JOIN pg_class c ON c.oid = p.relid \
            WHERE c.relnamespace = \(address.schema)::regnamespace AND p.phase = 'waiting for old snapshots'
            """
        )
        return result.integer(0, 0) == 1
    }

    /// The names of indexes that classes have or had in their schemas.
    private func names(_ address: PostgresAddress) throws -> [String] {
        let result = try PostgresConnection(address).run(
            """
            SELECT relname::text FROM pg_class WHERE relkind = 'i' AND relname ~ '^class_1_[0-9a-f]+$' \
            AND relnamespace = \(address.schema)::regnamespace
            """
        )
        return (0..<result.count).compactMap { result.text($0, 0) }
    }

    private func indexes(of store: PostgresObjectStore) async throws -> [IndexDefinition] {
        try await store.read { try $0.schema(of: IndexBuildingTests.task)?.indexes } ?? []
    }

    /// Whether a query by the number can use an index.
    private func isUsed(_ store: PostgresObjectStore) async throws -> Bool {
        let condition = Condition.field(FieldPath(field: "n"), .equals(.integer(7)))
        let query = ObjectQuery(IndexBuildingTests.task, where: condition, page: try Page(limit: 1))
        let plan = try await store.read { try $0.explain(query, counting: false) }?.plan.joined() ?? ""
        return plan.contains("Index Cond")
    }
}
