import Domain
import PCREPatterns
import Support
import Testing

@testable import SQLiteStore

@Suite struct QueryExplanationTests {
    /// Explains a condition on class Task, whose field n has an index.
    private func explain(_ condition: String, counting isCount: Bool = false) async throws -> QueryExplanation? {
        try await Samples.withFolder { folder in
            let store = SQLiteObjectStore(try SQLiteDatabase(path: "\(folder)/db.sqlite"))
            let name = try ClassName("Task")
            let schema = ClassSchema(
                name: name,
                fields: [
                    "n": FieldDefinition(.number), "s": FieldDefinition(.string), "tags": FieldDefinition(.array),
                ],
                indexes: [IndexDefinition(fields: [FieldPath(field: "n")])]
            )
            try await store.write { try $0.save(schema) }
            var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
            let json = try JSONValue(parsing: Array(condition.utf8), field: "where")
            let query = ObjectQuery(name, where: try parser.parse(json), page: try Page(limit: 7))
            return try await store.read { try $0.explain(query, counting: isCount) }
        }
    }

    @Test(
        "the plan names the index of an indexed field, and a scan otherwise",
        arguments: [
            (#"{"n":3}"#, ["SEARCH class_29 USING INDEX class_29 n (<expr>=?)"]),
            (#"{"s":"x"}"#, ["SCAN class_29"]), ("{}", ["SCAN class_29"]),
            (#"{"s":{"$regex":"^(?i)x"}}"#, ["SCAN class_29"]),
            (
                #"{"tags":"x"}"#,
                [
                    "SCAN class_29", "CORRELATED SCALAR SUBQUERY 1",
                    "  SCAN json_each VIRTUAL TABLE INDEX 3:",
                ]
            ),
        ]
    )
    func plan(condition: String, expected: [String]) async throws {
        let plan = try await explain(condition)?.plan
        #expect(plan == expected)
    }

    @Test("the plan knows an index that was created after its connection had read the schema")
    func newIndex() async throws {
        try await Samples.withFolder { folder in
            let store = SQLiteObjectStore(try SQLiteDatabase(path: "\(folder)/db.sqlite", readers: 1))
            var schema = ClassSchema(name: try ClassName("Task"), fields: ["n": FieldDefinition(.number)])
            let query = ObjectQuery(
                schema.name,
                where: .field(FieldPath(field: "n"), .equals(.integer(3))),
                page: try Page(limit: 7)
            )
            var plans: [[String]?] = []
            for indexes in [[], [IndexDefinition(fields: [FieldPath(field: "n")])]] {
                schema.indexes = indexes
                try await store.write { [schema] in try $0.save(schema) }
                // Every connection for reads, of which each call takes any.
                plans = try await withThrowingTaskGroup { group in
                    for _ in 0..<20 {
                        group.addTask { try await store.read { try $0.explain(query, counting: false)?.plan } }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(plans.allSatisfy { $0 == ["SEARCH class_29 USING INDEX class_29 n (<expr>=?)"] }, "\(plans)")
        }
    }

    @Test("the statement has the values, with quotes doubled")
    func statement() async throws {
        let found = try await explain(#"{"s":"it's","n":{"$gt":2.5}}"#)?.statement ?? ""
        #expect(found.contains("(json_extract(body, '$.s') = 'it''s')"), "\(found)")
        #expect(found.contains("(json_extract(body, '$.n') > 2.5)"), "\(found)")
        #expect(found.hasPrefix("SELECT id, created_at, updated_at, acl, body, checksum FROM class_29 WHERE "))
        #expect(found.hasSuffix(" LIMIT 7 OFFSET 0"))
        let count = try await explain(#"{"n":3}"#, counting: true)
        #expect(count?.statement == "SELECT count(*) FROM class_29 WHERE (json_extract(body, '$.n') = 3)")
        #expect(count?.plan == ["SEARCH class_29 USING INDEX class_29 n (<expr>=?)"])
    }
}
