package import Domain
internal import PCREPatterns
internal import Testing

/// The contract of every ``ObjectStore`` about its transactions: their view, their conflicts and their repetition.
package enum TransactionContract {
    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("of bodies that each read what the others change, each sees the changes of those before it") {
            store in
            let other = try ClassName("Other")
            try await store.write { writer in
                for name in [task, other] { try writer.save(ClassSchema(name: name)) }
            }
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    let object = try object()
                    group.addTask {
                        try await store.write { writer in
                            guard try writer.count(.always, in: task) + writer.count(.always, in: other) == 0 else {
                                return
                            }
                            try writer.insert(object, into: number.isMultiple(of: 2) ? task : other)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await store.read { try $0.count(.always, in: task) + $0.count(.always, in: other) }
            #expect(count == 1)
        },
        ContractRule("a read sees all of a transaction or nothing of it") { store in
            let (first, second) = (try object(["n": .integer(100)]), try object(["n": .integer(0)]))
            try await fill(store, [first, second])
            @Sendable func number(_ object: StoredObject, _ reader: any ReadTransaction) throws -> Int64 {
                try reader.object(object.id, in: task)?.fields["n"]?.integerValue ?? -1
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await store.write { writer in
                            for (object, change) in [(first, Int64(-1)), (second, 1)] {
                                var changed = object
                                changed.fields["n"] = .integer(try number(object, writer) + change)
                                try writer.update(changed, in: task)
                            }
                        }
                    }
                    group.addTask {
                        let sum = try await store.read { try number(first, $0) + number(second, $0) }
                        #expect(sum == 100)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.read { try number(second, $0) } == 40)
        },
        ContractRule("after an error that an attempt holds the transaction goes on, with what was changed before") {
            store in
            let (a, b, c) = (try object(["k": "a"]), try object(["k": "a"]), try object(["k": "c"]))
            try await store.write { writer in
                try writer.save(unique())
                try writer.insert(a, into: task)
                try? writer.attempt { try writer.insert(b, into: task) }
                try writer.insert(c, into: task)
            }
            #expect(try await store.read { try $0.find(ObjectQuery(task, page: .all)).map(\.id) } == [a.id, c.id])
        },
        ContractRule("an attempt that throws takes back relations and deletes as well") { store in
            let (a, b) = (try object(), try object())
            try await fill(store, [a, b])
            try await store.write { writer in
                try? writer.attempt {
                    try writer.relate(Pointer(task, a.id), "likes", to: [b.id])
                    try writer.delete([b.id], in: task)
                    throw Broken()
                }
            }
            #expect(try await store.read { try $0.count(.always, in: task) } == 2)
            #expect(try await store.read { try $0.isRelated(Pointer(task, a.id), "likes", to: [b.id]) } == false)
        },
        ContractRule("a refused value is named by its field, also in an update, and an id as objectId") { store in
            let (a, b) = (try object(["k": "a"]), try object(["k": "b"]))
            try await store.write { writer in
                try writer.save(unique())
                for object in [a, b] { try writer.insert(object, into: task) }
            }
            let (same, changed) = (try object(["k": "a"]), StoredObject(b, fields: ["k": "a"]))
            let twice = StoredObject(b, fields: ["k": "c"])
            let refused: [(field: String, body: @Sendable (any WriteTransaction) throws -> Void)] = [
                ("k", { try $0.insert(same, into: task) }), ("k", { try $0.update(changed, in: task) }),
                ("objectId", { try $0.insert(twice, into: task) }),
            ]
            for (field, body) in refused {
                let error = await #expect(throws: ServiceError.self) { try await store.write(body) }
                #expect(error?.code == .duplicateValue)
                #expect(error?.message.contains("'\(field)'") == true)
            }
            // An object's own value does not conflict.
            try await store.write { try $0.update(a, in: task) }
        },
        ContractRule("a class without a unique index accepts equal values again") { store in
            try await store.write { try $0.save(unique()) }
            try await store.write { try $0.save(ClassSchema(name: task, fields: ["k": FieldDefinition(.string)])) }
            let objects = [try object(["k": "a"]), try object(["k": "a"])]
            try await store.write { writer in
                for object in objects { try writer.insert(object, into: task) }
            }
            #expect(try await store.read { try $0.count(.always, in: task) } == 2)
        },
        ContractRule("an insert into a class that is not there fails, an update of no object does nothing") { store in
            let object = try object()
            await #expect(throws: (any Error).self) { try await store.write { try $0.insert(object, into: task) } }
            try await fill(store, [])
            try await store.write { try $0.update(object, in: task) }
            #expect(try await store.read { try $0.count(.always, in: task) } == 0)
        },
        ContractRule("a number is not given again when its object is gone") { store in
            let object = try object(["n": .integer(41)])
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["n": FieldDefinition(.number)]))
                try writer.insert(object, into: task)
            }
            #expect(try await store.write { try $0.nextNumber(of: "n", in: task) } == 42)
            try await store.write { _ = try $0.delete([object.id], in: task) }
            #expect(try await store.write { try $0.nextNumber(of: "n", in: task) } == 43)
        },
        ContractRule("a query of texts gives those objects that have one, and a count ignores the page") { store in
            let fields: [[String: JSONValue]] = [["s": "x"], ["s": ""], ["s": .null], [:]]
            let objects = try fields.map { try object($0) }
            try await fill(store, objects)
            let texts = try await store.read { reader in
                try reader.texts("s", of: ObjectQuery(task, page: .all)).map { "\($0.id) \($0.text)" }
            }
            #expect(texts == ["\(objects[0].id) x", "\(objects[1].id) "])
            let query = ObjectQuery(task, page: try Page(limit: 1, skip: 1), replySize: 1)
            #expect(try await store.read { try $0.count(query) } == 4)
        },
        ContractRule("objects by their ids end before they grow beyond the size, also before the first") { store in
            let objects = try (0..<4).map { _ in try object(["s": "x"]) }
            try await fill(store, objects)
            let size = ObjectRow(objects[0]).size
            for (limit, expected) in [(0, 0), (size - 1, 0), (size, 1), (3 * size, 3), (.max, 4)] {
                let found = try await store.read { reader in
                    try reader.rows(Set(objects.map(\.id)), in: task, readableBy: .unrestricted, upTo: limit).count
                }
                #expect(found == expected, "\(limit)")
            }
        },
        ContractRule("a budget that is cancelled while a body runs ends its next query") { store in
            try await fill(store, [try object(["o": ["k": .integer(1)]])])
            let budget = QueryBudget(seconds: 100)
            let isFound = Condition.field(try FieldPath("o.k"), .equals(.integer(1)))
            await #expect(throws: CancellationError.self) {
                try await store.read(within: budget) { reader in
                    budget.cancel()
                    return try reader.count(isFound, in: task)
                }
            }
        },
        ContractRule("a body of a write has no budget, and what it throws is what the write throws") { store in
            let hasBudget = try await store.write { $0.budget != nil }
            #expect(!hasBudget)
            let refusal = ServiceError(.noEffect, "Refused.")
            let error = await #expect(throws: ServiceError.self) {
                try await store.write { _ -> Void in throw refusal }
            }
            #expect(error?.code == .noEffect)
            await #expect(throws: Broken.self) {
                try await store.read { _ -> Void in throw Broken() }
            }
        },
        ContractRule("a sub-query that was not replaced is an internal error") { store in
            try await fill(store, [try object(["n": .integer(1)])])
            var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
            let text = #"{"n":{"$inQuery":{"className":"Task","where":{}}}}"#
            let condition = try parser.parse(try JSONValue(parsing: Array(text.utf8), field: "where"))
            let error = await #expect(throws: ServiceError.self) {
                try await store.read { try $0.count(condition, in: task) }
            }
            #expect(error?.code == .internalFailure)
        },
        ContractRule("batch/save and a deletion of several objects that take too long change no object") { store in
            let objects = try (0..<2).map { _ in try object() }
            try await fill(store, objects)
            let settings = ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher()),
                transactionTime: .zero
            )
            let service = ObjectService(store: store, settings: settings)
            let guest = try Samples.guest()
            func save(_ count: Int) async throws {
                let items = try (0..<count).map { number in
                    try SaveItem(
                        className: task,
                        id: nil,
                        creates: true,
                        body: .object(["__internalId": .string("new\(number)")]),
                        where: nil,
                        returnsObject: false
                    )
                }
                _ = try await service.save(items, as: guest)
            }
            func delete(_ ids: [ObjectID]) async throws {
                _ = try await service.perform(ObjectCommand(task, .delete(ids, where: nil)), as: guest)
            }
            await expectFailure(.timedOut) { try await save(2) }
            await expectFailure(.timedOut) { try await delete(objects.map(\.id)) }
            #expect(try await store.read { try $0.count(.always, in: task) } == 2)
            // The limit is one of further objects: a request with one object is not refused.
            try await save(1)
            for object in objects { try await delete([object.id]) }
            #expect(try await store.read { try $0.count(.always, in: task) } == 1)
        },
        ContractRule("a deletion of many objects removes those that are there, or none if one is protected") { store in
            let objects = try (0..<300).map { _ in try object() }
            var protected = try object()
            protected.acl = AccessControlList(stored: [:])
            try await fill(store, objects + [protected])
            let service = ObjectService(
                store: store,
                settings: ObjectSettings(
                    files: FilePresentation(publicURL: "https://f", bucket: "b"),
                    accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
                )
            )
            let guest = try Samples.guest()
            func delete(_ ids: [ObjectID]) async throws {
                _ = try await service.perform(ObjectCommand(task, .delete(ids, where: nil)), as: guest)
            }
            let all = objects.map(\.id)
            await expectFailure(.forbidden) { try await delete(all + [protected.id]) }
            #expect(try await store.read { try $0.count(.always, in: task) } == 301)
            // Some are named twice, and some are not there.
            let strangers = (0..<200).map { _ in ids.next() }
            try await delete(all.prefix(150) + strangers + all + all.suffix(1))
            #expect(try await store.find(ObjectQuery(task, page: .all)).map(\.id) == [protected.id])
        },
    ]

    private static let ids = ObjectIDGenerator()

    private static func object(_ fields: [String: JSONValue] = [:]) throws -> StoredObject {
        StoredObject(id: ids.next(), createdAt: .now(), updatedAt: .now(), fields: fields)
    }

    /// Creates a class of objects with a relation.
    private static func fill(_ store: any ObjectStore, _ objects: [StoredObject]) async throws {
        try await store.write { writer in
            let types: [String: FieldType] = [
                "k": .string, "n": .number, "s": .string, "o": .object, "likes": .relation(task),
            ]
            try writer.save(ClassSchema(name: task, fields: types.mapValues { FieldDefinition($0) }))
            for object in objects { try writer.insert(object, into: task) }
        }
    }

    private static func unique() -> ClassSchema {
        let index = IndexDefinition(fields: [FieldPath(field: "k")], isUnique: true)
        return ClassSchema(name: task, fields: ["k": FieldDefinition(.string)], indexes: [index])
    }

    private static let task: ClassName = {
        do {
            return try ClassName("Task")
        } catch {
            preconditionFailure("Task is a class name")
        }
    }()
}

extension StoredObject {
    /// The same object with other fields.
    fileprivate init(_ object: StoredObject, fields: [String: JSONValue]) {
        self = object
        self.fields = fields
    }
}
