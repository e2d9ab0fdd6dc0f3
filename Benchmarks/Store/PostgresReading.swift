internal import CPostgres
internal import Domain
internal import PostgresStore

/// Measures reads and creates of a store on PostgreSQL, beside the same statement through libpq alone.
///
/// The schema `store_benchmark` must not exist; it stays afterwards.
struct PostgresReading {
    private let url: String
    private let store: PostgresObjectStore
    private let item: ClassName

    private static let schema = "store_benchmark"
    /// The number of different values of the indexed field.
    private static let ranks: Int64 = 100

    init(url: String) throws {
        self.url = url
        store = try PostgresObjectStore(PostgresAddress(url: url, schema: PostgresReading.schema))
        item = try ClassName("Item")
    }

    func measure(rows count: Int) async throws {
        let objects = try await fill(count)
        let ids = objects.map(\.id).shuffled()
        let get: Side = { [item] call in
            let id = ids[call % ids.count]
            return try await store.read(within: nil) { try $0.row(id, in: item) } == nil ? 0 : 1
        }
        let find: Side = { [item] call in
            let rank = Int64(call) % PostgresReading.ranks
            let condition = Condition.field(FieldPath(field: "rank"), .equals(.integer(rank)))
            let query = ObjectQuery(item, where: condition, page: try Page(limit: 1))
            return try await store.read(within: nil) { try $0.rows(query) }.count
        }
        let fields = try JSONValue(parsing: objects[0].body, field: "body").objectValue ?? [:]
        let newIDs = ObjectIDGenerator()
        let create: Side = { [item] _ in
            let now = Timestamp.now()
            let object = StoredObject(id: newIDs.next(), createdAt: now, updatedAt: now, fields: fields)
            try await store.write { try $0.insert(object, into: item) }
            return 1
        }
        let bare = try BareStatements(url: url, ids: ids, table: "\(PostgresReading.schema).\(try await table())")
        let gets = Measure(name: "get by id, PostgreSQL", calls: 4000, store: get) { try bare.get($0) }
        try await gets.timed().report()
        try await gets.rates(tasks: BareStatements.count).report()
        print("find one by an index, 16 at once: \(Int(try await rate(of: find, tasks: 16, seconds: 2)))/s")
        for tasks in [1, 16, 64] {
            print("create, \(tasks) at once: \(Int(try await rate(of: create, tasks: tasks, seconds: 2)))/s")
        }
        try await store.close()
    }

    private func table() async throws -> String {
        let query = ObjectQuery(item, page: try Page(limit: 1))
        let plan = try await store.read(within: nil) { try $0.explain(query, counting: false) }
        guard let name = plan?.statement.split(separator: " ").first(where: { $0.hasPrefix("class_") }) else {
            throw Failure("the class has no table")
        }
        return String(name)
    }

    private func fill(_ count: Int) async throws -> [ObjectRow] {
        var maker = RowMaker(owner: item, ranks: PostgresReading.ranks)
        let objects = (0..<count).map { _ in maker.itemObject() }
        let types: [String: FieldType] = [
            "title": .string, "code": .string, "rank": .number, "stars": .number, "price": .number,
            "done": .boolean, "due": .date, "tags": .array, "profile": .object,
        ]
        var schema = ClassSchema(name: item, fields: types.mapValues { FieldDefinition($0) })
        try await store.write { [schema] in try $0.save(schema) }
        for start in stride(from: 0, to: count, by: 1000) {
            let part = Array(objects[start..<min(start + 1000, count)])
            try await store.write { writer in for object in part { try writer.insert(object, into: item) } }
        }
        schema.indexes = [IndexDefinition(fields: [FieldPath(field: "rank")])]
        try await store.write { [schema] in try $0.save(schema) }
        return objects.map { ObjectRow($0) }
    }
}

/// One prepared statement through libpq, on as many connections as there are tasks.
///
/// Unchecked, because calls that run at the same time have different remainders, and so different connections.
private final class BareStatements: @unchecked Sendable {
    /// The number of connections, and of tasks that can call at the same time.
    static let count = 8
    private let connections: [OpaquePointer]
    private let ids: [ObjectID]

    init(url: String, ids: [ObjectID], table: String) throws {
        self.ids = ids
        let statement = "SELECT id, created_at, updated_at, acl, body FROM \(table) WHERE id = $1::text"
        connections = try (0..<BareStatements.count).map { _ in
            guard let handle = PQconnectdb(url), PQstatus(handle) == CONNECTION_OK else {
                throw Failure("no connection")
            }
            PQclear(PQprepare(handle, "get", statement, 0, nil))
            return handle
        }
    }

    func get(_ call: Int) throws -> Int {
        let handle = connections[call % BareStatements.count]
        let result = ids[call % ids.count].description.withCString { text in
            PQexecPrepared(handle, "get", 1, [text], nil, nil, 0)
        }
        defer { PQclear(result) }
        return Int(PQntuples(result))
    }
}
