package import Domain
internal import FoundationEssentials
internal import PCREPatterns
internal import Testing

/// The table of cases for queries: documents, conditions, and the documents that match.
///
/// It runs on every store, so that SQL and Domain's own matching give the same results.
package struct QueryCase: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    private let documents: [(name: String, fields: [String: JSONValue])]
    private let relations: [[String]]
    private let questions: [(condition: JSONValue, matches: [String])]
    private let order: String
    private let isOrdered: Bool
    private let page: Page

    /// The cases of `Cases/queries.json`.
    package static let all: [QueryCase] = {
        do {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases/queries.json")
            let json = try JSONValue(parsing: Array(try Data(contentsOf: file)), field: "queries.json")
            return try (json.arrayValue ?? []).map { try QueryCase($0.objectValue ?? [:]) }
        } catch {
            Issue.record(error)
            return []
        }
    }()

    private init(_ json: [String: JSONValue]) throws {
        testDescription = json["name"]?.stringValue ?? "?"
        documents = (json["documents"]?.objectValue ?? [:]).sorted { $0.key.compareBytes(to: $1.key) < 0 }
            .map { ($0.key, $0.value.objectValue ?? [:]) }
        relations = (json["relations"]?.arrayValue ?? []).map { ($0.arrayValue ?? []).compactMap(\.stringValue) }
        let wheres = json["wheres"]?.arrayValue ?? [.object(json)]
        questions = wheres.compactMap(\.objectValue).map { question in
            (question["where"] ?? .null, (question["matches"]?.arrayValue ?? []).compactMap(\.stringValue))
        }
        order = json["order"]?.stringValue ?? ""
        isOrdered = json["order"] != nil || json["ordered"] == .bool(true)
        page = try Page(
            limit: (json["limit"]?.integerValue).map { Int($0) },
            skip: (json["skip"]?.integerValue).map { Int($0) }
        )
    }

    /// Inserts the documents into an empty store and runs every query.
    package func check(_ store: any ObjectStore) async throws {
        let name = try ClassName("Case")
        try await fill(store, name)
        let service = ObjectService(
            store: store,
            settings: ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
            )
        )
        let caller = Caller(app: try #require(AppID("app")))
        for (json, matches) in questions {
            var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
            let condition = try parser.parse(json)
            let text = String(decoding: json.encoded(), as: UTF8.self)
            // A store can evaluate the tests of a long condition in another way than those of a short one.
            let others = Array(repeating: Condition.field(FieldPath(field: "missing"), .exists(false)), count: 70)
            try await check(condition, finds: matches, service, name, caller, text)
            try await check(.all(others + [condition]), finds: matches, service, name, caller, text)
            guard page == (try Page()), !isOrdered else { continue }
            try await checkChanges(under: condition, of: Set(matches), service, name, caller)
        }
    }

    private func check(
        _ condition: Condition,
        finds matches: [String],
        _ service: ObjectService,
        _ name: ClassName,
        _ caller: Caller,
        _ text: String
    ) async throws {
        let order = try SortKey.list(order)
        let search = ObjectCommand.Search(where: condition, order: order, page: page, counts: true)
        let reply = try await service.perform(ObjectCommand(name, .find(search)), as: caller).listing
        let found = try (reply?.objects ?? []).compactMap { try $0.members["objectId"]?.stringValue }
        #expect((isOrdered ? found : found.sorted()) == (isOrdered ? matches : matches.sorted()), "\(text)")
        guard page == (try Page()) else { return }
        #expect(reply?.count == matches.count, "\(text)")
    }

    /// Checks that a change under the condition applies to exactly the documents that match; all are tried at once.
    private func checkChanges(
        under condition: Condition,
        of matches: Set<String>,
        _ service: ObjectService,
        _ name: ClassName,
        _ caller: Caller
    ) async throws {
        let nothing = try ObjectChange(.object([:]), allowsPaths: true)
        try await withThrowingTaskGroup { group in
            for (document, _) in documents {
                let id = try #require(ObjectID(document))
                let update = ObjectCommand(name, .update(id, nothing, where: condition, returnsObject: false))
                group.addTask {
                    do {
                        _ = try await service.perform(update, as: caller)
                        #expect(matches.contains(document), "\(condition) let \(document) be changed")
                    } catch let error as ServiceError where error.code == .noEffect {
                        #expect(!matches.contains(document), "\(condition) kept \(document) from being changed")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func fill(_ store: any ObjectStore, _ name: ClassName) async throws {
        try await store.write { [documents, relations] writer in
            var schema = ClassSchema(name: name)
            var objects: [StoredObject] = []
            for (index, (id, fields)) in documents.enumerated() {
                let fields = try fields.mapValues { try $0.normalized(field: "case") }
                for (field, value) in fields {
                    if let type = FieldType(of: value) { schema.fields[field] = FieldDefinition(type) }
                }
                let time = Timestamp(milliseconds: Int64(index))
                objects.append(
                    StoredObject(id: try #require(ObjectID(id)), createdAt: time, updatedAt: time, fields: fields)
                )
            }
            for relation in relations { schema.fields[relation[1]] = FieldDefinition(.relation(name)) }
            try writer.save(schema)
            for object in objects { try writer.insert(object, into: name) }
            for relation in relations {
                let owner = Pointer(name, try #require(ObjectID(relation[0])))
                try writer.relate(owner, relation[1], to: [try #require(ObjectID(relation[2]))])
            }
        }
    }
}
