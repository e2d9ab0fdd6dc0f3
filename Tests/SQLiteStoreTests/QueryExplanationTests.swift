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
            (#"{"n":3}"#, ["SEARCH class_18 USING INDEX class_18 n (<expr>=?)"]),
            (#"{"s":"x"}"#, ["SCAN class_18"]), ("{}", ["SCAN class_18"]),
            (#"{"s":{"$regex":"^(?i)x"}}"#, ["SCAN class_18"]),
            (
                #"{"tags":"x"}"#,
                [
                    "SCAN class_18", "CORRELATED SCALAR SUBQUERY 1",
                    "  SCAN json_each VIRTUAL TABLE INDEX 3:",
                ]
            ),
        ]
    )
    func plan(condition: String, expected: [String]) async throws {
        let plan = try await explain(condition)?.plan
        #expect(plan == expected)
    }

    @Test("the statement has the values, with quotes doubled")
    func statement() async throws {
        let found = try await explain(#"{"s":"it's","n":{"$gt":2.5}}"#)?.statement ?? ""
        #expect(found.contains("(json_extract(body, '$.s') = 'it''s')"), "\(found)")
        #expect(found.contains("(json_extract(body, '$.n') > 2.5)"), "\(found)")
        #expect(found.hasPrefix("SELECT id, created_at, updated_at, acl, body FROM class_18 WHERE "))
        #expect(found.hasSuffix(" LIMIT 7 OFFSET 0"))
        let count = try await explain(#"{"n":3}"#, counting: true)
        #expect(count?.statement == "SELECT count(*) FROM class_18 WHERE (json_extract(body, '$.n') = 3)")
        #expect(count?.plan == ["SEARCH class_18 USING INDEX class_18 n (<expr>=?)"])
    }
}
