package import Domain
internal import Testing

/// The contract of every ``ObjectStore``.
package enum ObjectStoreContract {
    package static let rules = objectRules + relationRules + zeroRules + pathRules

    private static let objectRules: [ContractRule<any ObjectStore>] = [
        ContractRule("an object comes back whole") { store in
            let object = try object(["text": "x", "list": .array([.null, .number(1.5)])], acl: ["*": .object([:])])
            try await store.write { writer in
                try writer.save(ClassSchema(name: task))
                try writer.insert(object, into: task)
            }
            #expect(try await store.object(object.id, in: task) == object)
            #expect(try await store.objects([object.id], in: task) == [object])
        },
        ContractRule("what is known of a class comes back whole") { store in
            let schema = try everyField()
            try await store.write { try $0.save(schema) }
            #expect(try await store.schema(of: task) == schema)
            #expect(try await store.schemas().map(\.name) == ([task] + ClassSchema.builtIn.map(\.name)).sorted())
        },
        ContractRule("unknown classes and ids give nothing") { store in
            let id = ObjectIDGenerator().next()
            let schema = try await store.schema(of: task)
            #expect(schema == nil)
            #expect(try await store.object(id, in: task) == nil)
            #expect(try await store.objects([id], in: .file) == [])
            #expect(try await store.find(ObjectQuery(task)) == [])
            #expect(try await store.delete(id, in: .file) == false)
        },
        ContractRule("a query of a class that exists can be explained, and does not run") { store in
            let n = Condition.field(FieldPath(field: "n"), .equals(.integer(1)))
            let query = ObjectQuery(task, where: n)
            #expect(try await store.read { try $0.explain(query, counting: false) } == nil)
            try await store.write { try $0.save(ClassSchema(name: task, fields: ["n": FieldDefinition(.number)])) }
            for isCount in [false, true] {
                let explanation = try await store.read { try $0.explain(query, counting: isCount) }
                #expect(explanation?.statement.isEmpty == false)
                #expect(explanation?.plan.isEmpty == false)
            }
        },
        ContractRule("a write that throws changes nothing: neither objects nor classes nor relations") { store in
            let object = try object([:])
            await #expect(throws: Broken.self) {
                try await store.write { writer in
                    try writer.save(ClassSchema(name: task))
                    try writer.insert(object, into: task)
                    try writer.relate(Pointer(task, object.id), "likes", to: [object.id])
                    throw Broken()
                }
            }
            #expect(try await store.schema(of: task) == nil)
            try await store.write { try $0.save(ClassSchema(name: task)) }
            #expect(try await store.count(.always, in: task) == 0)
        },
        ContractRule("an attempt that throws takes back its own changes only") { store in
            let (kept, lost) = (try object([:]), try object([:]))
            try await store.write { writer in
                try writer.save(ClassSchema(name: task))
                try writer.insert(kept, into: task)
                #expect(throws: Broken.self) {
                    try writer.attempt {
                        try writer.insert(lost, into: task)
                        try writer.save(ClassSchema(name: ClassName("Other")))
                        throw Broken()
                    }
                }
            }
            #expect(try await store.objects([kept.id, lost.id], in: task) == [kept])
            #expect(try await store.schema(of: ClassName("Other")) == nil)
        },
        ContractRule("an update replaces, a delete removes once") { store in
            var object = try object(["n": .integer(1)])
            try await store.write { [object] writer in
                try writer.save(ClassSchema(name: task))
                try writer.insert(object, into: task)
            }
            object.fields = ["m": .integer(2)]
            object.updatedAt = Timestamp(milliseconds: 9)
            object.acl = .everyone
            try await store.write { [object] in try $0.update(object, in: task) }
            #expect(try await store.object(object.id, in: task) == object)
            #expect(try await store.delete(object.id, in: task) == true)
            #expect(try await store.delete(object.id, in: task) == false)
        },
        ContractRule("a read whose budget is spent, or was cancelled, throws what the budget throws") { store in
            let spent = QueryBudget(milliseconds: 0, refusal: Broken())
            await #expect(throws: Broken.self) { try await store.read(within: spent) { try $0.schemas() } }
            let cancelled = QueryBudget(seconds: 100)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) {
                try await store.read(within: cancelled) { try $0.schemas() }
            }
            let budget = QueryBudget(seconds: 100)
            let isKnown = try await store.read(within: budget) { $0.budget === budget }
            #expect(isKnown)
        },
        ContractRule("two hundred writers at once lose nothing") { store in
            let object = try object(["n": .integer(0)])
            try await store.write { writer in
                try writer.save(ClassSchema(name: task))
                try writer.insert(object, into: task)
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await store.write { writer in
                            var object = try #require(try writer.object(object.id, in: task))
                            object.fields["n"] = .integer((object.fields["n"]?.integerValue ?? 0) + 1)
                            try writer.update(object, in: task)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.object(object.id, in: task)?.fields["n"] == .integer(200))
        },
        ContractRule("a unique field refuses a value that is taken, and null and missing are none") { store in
            let fields: [[String: JSONValue]] = [["k": "a"], ["k": "b"], ["k": .null], ["k": .null], [:], [:]]
            let objects = try fields.map { try object($0) }
            try await store.write { writer in
                try writer.save(unique())
                for object in objects { try writer.insert(object, into: task) }
            }
            let another = try object(["k": "a"])
            let inserted = await #expect(throws: ServiceError.self) {
                try await store.write { try $0.insert(another, into: task) }
            }
            #expect(inserted?.code == .duplicateValue)
            var changed = objects[1]
            changed.fields["k"] = "a"
            let updated = await #expect(throws: ServiceError.self) {
                try await store.write { [changed] in try $0.update(changed, in: task) }
            }
            #expect(updated?.code == .duplicateValue)
        },
        ContractRule("a field with equal values cannot become unique") { store in
            let objects = [try object(["k": "a"]), try object(["k": "a"])]
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["k": FieldDefinition(.string)]))
                for object in objects { try writer.insert(object, into: task) }
            }
            let error = await #expect(throws: ServiceError.self) { try await store.write { try $0.save(unique()) } }
            #expect(error?.code == .duplicateValue)
            #expect(try await store.read { try $0.schema(of: task)?.indexes } == [])
        },
        ContractRule("a taken id is refused") { store in
            let object = try object([:])
            let error = await #expect(throws: ServiceError.self) {
                try await store.write { writer in
                    try writer.save(ClassSchema(name: task))
                    try writer.insert(object, into: task)
                    try writer.insert(object, into: task)
                }
            }
            #expect(error?.code == .duplicateValue)
        },
        ContractRule("numbers count up for each field, past those that objects have") { store in
            let object = try object(["n": .integer(41)])
            try await store.write { try $0.save(ClassSchema(name: task, fields: ["n": FieldDefinition(.number)])) }
            #expect(try await store.nextNumber(of: "n", in: task) == 1)
            #expect(try await store.nextNumber(of: "n", in: task) == 2)
            #expect(try await store.nextNumber(of: "m", in: task) == 1)
            try await store.write { try $0.insert(object, into: task) }
            #expect(try await store.nextNumber(of: "n", in: task) == 42)
        },
        ContractRule("a reply ends before it grows beyond its size, but holds one object") { store in
            let objects = try (0..<5).map { try object(["n": .integer($0)]) }
            try await store.write { writer in
                try writer.save(ClassSchema(name: task))
                for object in objects { try writer.insert(object, into: task) }
            }
            for (size, expected) in [(0, 1), (14, 2), (35, 5)] {
                let found = try await store.find(ObjectQuery(task, page: try Page(), replySize: size))
                #expect(found.count == expected, "\(size)")
            }
        },
        ContractRule("what a query does not read does not count towards the size of a reply") { store in
            let text = JSONValue.string(String(repeating: "x", count: 1000))
            let objects = try (0..<5).map { try object(["n": .integer($0), "text": text], acl: ["*": .object([:])]) }
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["n": FieldDefinition(.number)]))
                for object in objects { try writer.insert(object, into: task) }
            }
            let last = SortKey(FieldPath(field: "n"), descending: true)
            for (projection, size) in [(RowProjection.ids, 2), (RowProjection.value(of: "n"), 7)] {
                for count in 1...5 {
                    let query = ObjectQuery(
                        task,
                        order: [last],
                        page: try Page(),
                        replySize: count * size,
                        reading: projection
                    )
                    let found = try await store.read { try $0.rows(query) }
                    #expect(found.map(\.id) == objects.reversed().prefix(count).map(\.id))
                    let ids = Set(objects.map(\.id))
                    let listed = try await store.read { reader in
                        try reader.rows(
                            ids,
                            in: task,
                            readableBy: .unrestricted,
                            upTo: count * size,
                            reading: projection
                        )
                    }
                    #expect(listed.count == count)
                    #expect((found + listed).allSatisfy { $0.body.count == size && $0.acl == nil })
                }
            }
        },
    ]

    static func object(
        _ fields: [String: JSONValue],
        acl: [String: JSONValue]? = nil
    ) throws -> StoredObject {
        let now = Timestamp.now()
        let acl = acl.map { AccessControlList(stored: $0) }
        return StoredObject(id: ids.next(), createdAt: now, updatedAt: now, acl: acl, fields: fields)
    }

    private static func unique() -> ClassSchema {
        var field = FieldDefinition(.string)
        field.isUnique = true
        let index = IndexDefinition(fields: [FieldPath(field: "k")], isUnique: true)
        return ClassSchema(name: task, fields: ["k": field], indexes: [index])
    }

    private static func everyField() throws -> ClassSchema {
        let types: [FieldType] = [
            .string, .number, .boolean, .date, .file, .object, .array, .geoPoint, .bytes, .any, .pointer(task),
            .relation(task),
        ]
        var schema = ClassSchema(name: task)
        for (index, type) in types.enumerated() { schema.fields["f\(index)"] = FieldDefinition(type) }
        schema.fields["f0"]?.isRequired = true
        schema.fields["f1"]?.isReadOnly = true
        schema.fields["f2"]?.isHidden = true
        schema.fields["f3"]?.isUnique = true
        schema.fields["f1"]?.isAutoIncrement = true
        schema.fields["f5"]?.defaultValue = .object(["a": .array([.number(1.5)])])
        schema.indexes = [
            IndexDefinition(fields: [FieldPath(field: "f3")], isUnique: true),
            IndexDefinition(fields: [try FieldPath("f5.a_b.c"), FieldPath(field: "createdAt")]),
        ]
        return schema
    }

    static let ids = ObjectIDGenerator()

    static let task: ClassName = {
        do {
            return try ClassName("Task")
        } catch {
            preconditionFailure("Task is a class name")
        }
    }()
}

/// Single reads, each in its own transaction.
extension ObjectStore {
    func schema(of name: ClassName) async throws -> ClassSchema? {
        try await read { try $0.schema(of: name) }
    }

    func schemas() async throws -> [ClassSchema] {
        try await read { try $0.schemas() }
    }

    func object(_ id: ObjectID, in name: ClassName) async throws -> StoredObject? {
        try await read { try $0.object(id, in: name) }
    }

    func objects(_ ids: Set<ObjectID>, in name: ClassName) async throws -> [StoredObject] {
        try await read { try $0.rows(ids, in: name, readableBy: .unrestricted, upTo: .max).map { try $0.object() } }
    }

    func find(_ query: ObjectQuery) async throws -> [StoredObject] {
        try await read { try $0.find(query) }
    }

    func count(_ condition: Condition, in name: ClassName) async throws -> Int {
        try await read { try $0.count(condition, in: name) }
    }

    func delete(_ id: ObjectID, in name: ClassName) async throws -> Bool {
        try await write { try $0.delete(id, in: name) }
    }

    func nextNumber(of field: String, in name: ClassName) async throws -> Int64 {
        try await write { try $0.nextNumber(of: field, in: name) }
    }
}
