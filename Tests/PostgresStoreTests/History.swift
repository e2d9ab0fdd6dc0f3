import Domain
import PCREPatterns
import Support
import Testing

/// A random history of one class.
struct History {
    private let name: ClassName
    private var generator: SeededGenerator
    private var ids: [ObjectID] = []
    private let fields: [String: FieldType]
    /// The strings of objects.
    var texts: [String]

    init(seed: UInt64, texts: [String] = []) throws {
        let long = String(repeating: "長", count: 320)
        self.texts =
            texts + ["", "a", "ab", "b", "A", "\u{1}", "e\u{301}", "\u{e9}", "'", "{}", "\\", long, long + "a", "😀"]
        name = try ClassName("Case")
        generator = SeededGenerator(seed: seed)
        fields = [
            "s": .string, "t": .string, "n": .number, "b": .boolean, "d": .date, "p": .pointer(name), "g": .geoPoint,
            "a": .array, "o": .object, "any": .any,
        ]
    }

    /// Changes the objects, and compares queries after each change.
    mutating func run(on stores: [any ObjectStore]) async throws {
        try await begin(stores)
        for _ in 0..<4 { try await go(on: stores) }
    }

    /// Changes the objects once more, and compares queries.
    mutating func go(on stores: [any ObjectStore]) async throws {
        try await change(stores)
        for _ in 0..<25 { try await compareQueries(stores) }
    }

    private func begin(_ stores: [any ObjectStore]) async throws {
        let indexes = [["s"], ["n"], ["d"], ["o.k"], ["t", "n"]].map { paths in
            IndexDefinition(fields: paths.compactMap { try? FieldPath($0) })
        }
        let schema = ClassSchema(name: name, fields: fields.mapValues { FieldDefinition($0) }, indexes: indexes)
        for store in stores { try await store.write { try $0.save(schema) } }
    }

    /// Creates, updates and deletes some objects in one transaction of each store.
    private mutating func change(_ stores: [any ObjectStore]) async throws {
        var (created, updated, deleted): ([StoredObject], [StoredObject], [ObjectID]) = ([], [], [])
        for _ in 0..<25 {
            let id = try #require(ObjectID("object\(ids.count)"))
            ids.append(id)
            created.append(object(id))
        }
        for _ in 0..<8 { updated.append(object(pick(ids))) }
        for _ in 0..<4 { deleted.append(pick(ids)) }
        for store in stores {
            try await store.write { [name, created, updated, deleted] writer in
                for object in created { try writer.insert(object, into: name) }
                for object in updated { try writer.update(object, in: name) }
                try writer.delete(deleted, in: name)
            }
        }
    }

    /// Runs one random query on every store, and compares what each finds.
    private mutating func compareQueries(_ stores: [any ObjectStore]) async throws {
        let json = condition(depth: 2)
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        guard let condition = try? parser.parse(json), !condition.hasSubqueries else { return }
        let keys = ["s", "n", "b", "d", "p", "a", "o", "any", "o.k", "createdAt", "objectId"]
        let order = try (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            SortKey(try FieldPath(pick(keys)), descending: .random(using: &generator))
        }
        let page = try Page(limit: pick([3, 20, 1000]), skip: pick([0, 0, 2]))
        let query = ObjectQuery(
            name,
            where: condition,
            readableBy: pick([.unrestricted, .subjects(.guest)]),
            order: order,
            page: page
        )
        var found: [[String]] = []
        for store in stores {
            found.append(
                try await store.read { reader in
                    try reader.rows(query).map { "\($0.id) \(String(decoding: $0.body, as: UTF8.self))" }
                        + ["\(try reader.count(query))"]
                }
            )
        }
        let text = String(decoding: json.encoded(), as: UTF8.self)
        for (index, other) in found.enumerated().dropFirst() {
            #expect(found[0] == other, "\(type(of: stores[index])): \(text) \(order) \(page)")
        }
    }
}

/// Random values.
extension History {
    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    private mutating func object(_ id: ObjectID) -> StoredObject {
        var values: [String: JSONValue] = [:]
        for field in fields.keys.sorted() where Int.random(in: 0..<4, using: &generator) > 0 {
            values[field] = Int.random(in: 0..<8, using: &generator) == 0 ? .null : value(of: field)
        }
        let read = JSONValue.object(["read": .bool(true)])
        let acl = pick([nil, nil, AccessControlList(stored: ["*": read]), AccessControlList(stored: ["someone": read])])
        return StoredObject(
            id: id,
            // An update does not change it.
            createdAt: Timestamp(milliseconds: id.description.utf8.reduce(0) { $0 + Int64($1) } % 5),
            updatedAt: Timestamp(milliseconds: Int64.random(in: 0..<5, using: &generator)),
            acl: acl,
            fields: values
        )
    }

    private mutating func value(of field: String) -> JSONValue {
        switch field {
        case "s", "t": text()
        case "n": number()
        case "b": .bool(.random(using: &generator))
        case "d": .date(Timestamp(milliseconds: Int64.random(in: 0..<4, using: &generator)))
        case "p": .object(["__type": "Pointer", "className": .string(name.description), "objectId": pick(["a", "b"])])
        case "g":
            GeoPoint(
                latitude: pick([0, 1, 89.5, .leastNonzeroMagnitude]),
                longitude: pick([0, -179, 179, 1e-170])
            ).json
        case "a": .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in inner(depth: 1) })
        case "o": .object(["k": inner(depth: 0), "l": inner(depth: 1)])
        default: inner(depth: 1)
        }
    }

    private mutating func text() -> JSONValue {
        .string(pick(texts))
    }

    private mutating func number() -> JSONValue {
        pick([.integer(0), .integer(1), .number(1), .number(1.5), .integer(-3), .integer(.max), .number(0x1p63)])
    }

    private mutating func inner(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: number()
        case 3, 4: text()
        case 5: .object(["k": inner(depth: 0)])
        default: .array([inner(depth: 0)])
        }
    }

    private mutating func near() -> JSONValue {
        var ring: [String: JSONValue] = ["$nearSphere": value(of: "g")]
        if .random(using: &generator) { ring["$maxDistanceInRadians"] = .number(pick([0, 1, 3])) }
        return .object(["g": .object(ring)])
    }

    private mutating func condition(depth: Int) -> JSONValue {
        if depth > 0, Int.random(in: 0..<4, using: &generator) == 0 {
            let word = pick(["$and", "$or"])
            return .object([word: .array([condition(depth: depth - 1), condition(depth: depth - 1)])])
        }
        if Int.random(in: 0..<12, using: &generator) == 0 { return near() }
        let path = pick(["s", "t", "n", "b", "d", "p", "a", "o", "any", "o.k", "a.k", "any.k"])
        let field = String(path.prefix { $0 != "." })
        let value = path.contains(".") || field == "a" ? inner(depth: 0) : value(of: field)
        let other = path.contains(".") || field == "a" ? inner(depth: 0) : self.value(of: field)
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: .object([path: value])
        case 2: .object([path: .object(["$ne": value])])
        case 3: .object([path: .object([pick(["$lt", "$lte", "$gt", "$gte"]): value])])
        case 4: .object([path: .object([pick(["$in", "$nin", "$all"]): .array([value, other])])])
        case 5: .object([path: .object(["$exists": .bool(.random(using: &generator))])])
        case 6: .object([path: .object(["$regex": .string(pick(["^a", "b$", "^\\Qa\\E", "."]))])])
        default: .object([path: .object(["$size": .integer(1)])])
        }
    }
}
