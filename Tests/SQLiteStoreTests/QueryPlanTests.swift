import Domain
import GRDB
import PCREPatterns
import Support
import Testing

@testable import SQLiteStore

/// Which index SQLite takes for which query; a plan without one reads the whole class.
@Suite struct QueryPlanTests {
    @Test(
        "indexes answer conditions and orders",
        arguments: [
            (#"{"objectId":"a"}"#, "", "SEARCH class_29 USING INDEX sqlite_autoindex_class_29_1 (id=?)"),
            ("{}", "-createdAt", "SCAN class_29 USING INDEX class_29_created"),
            ("{}", "updatedAt", "SCAN class_29 USING INDEX class_29_updated"),
            (
                #"{"createdAt":{"$gt":{"__type":"Date","iso":"2024-01-01T00:00:00Z"}}}"#, "-createdAt",
                "SEARCH class_29 USING INDEX class_29_created (created_at>?)"
            ),
            (#"{"n":1}"#, "", #"SEARCH class_29 USING INDEX class_29 n,title (<expr>=?)"#),
            (
                #"{"n":{"$gt":1,"$lt":9}}"#, "n",
                #"SEARCH class_29 USING INDEX class_29 n,title (<expr>>? AND <expr><?)"#
            ),
            (#"{"n":{"$in":[1,2]}}"#, "", #"SEARCH class_29 USING INDEX class_29 n,title (<expr>=?)"#),
            (#"{"n":1,"title":"x"}"#, "", #"SEARCH class_29 USING INDEX class_29 n,title (<expr>=? AND <expr>=?)"#),
            (#"{"n":1}"#, "title", #"SEARCH class_29 USING INDEX class_29 n,title (<expr>=?)"#),
            (#"{"profile.city":"Lyon"}"#, "", #"SEARCH class_29 USING INDEX class_29 profile.city (<expr>=?)"#),
            (
                #"{"when":{"$lt":{"__type":"Date","iso":"2024-01-01T00:00:00Z"}}}"#, "-when",
                #"SEARCH class_29 USING INDEX class_29 when (<expr><?)"#
            ),
            (
                #"{"folder":{"__type":"Pointer","className":"Folder","objectId":"a"}}"#, "",
                #"SEARCH class_29 USING INDEX class_29 folder (<expr>=?)"#
            ),
            (
                #"{"place":{"$nearSphere":{"__type":"GeoPoint","latitude":1,"longitude":2},"$maxDistanceInMiles":3}}"#,
                "",
                #"SEARCH class_29 USING INDEX class_29 place (<expr>>? AND <expr><?)"#
            ),
            (#"{"code":"x"}"#, "", #"SEARCH class_29 USING INDEX class_29 unique code (<expr>=?)"#),
            (
                #"{"code":{"$regex":"^\\Qx\\E"}}"#, "",
                #"SEARCH class_29 USING INDEX class_29 unique code (<expr>>? AND <expr><?)"#
            ),
            (
                #"{"code":{"$regex":"^ab+c"}}"#, "code",
                #"SEARCH class_29 USING INDEX class_29 unique code (<expr>>? AND <expr><?)"#
            ),
        ]
    )
    func plan(condition: String, order: String, expected: String) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let name = try await makeClass(in: database)
            let details = try await database.pool.read { [catalog = database.catalog.current] db in
                let entry = try #require(catalog.entries[name])
                var compiler = ConditionSQL(catalog: catalog, entry: entry, functions: database.queries.functions)
                var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
                let json = try JSONValue(parsing: Array(condition.utf8), field: "where")
                let query = ObjectQuery(
                    name,
                    where: try parser.parse(json),
                    order: try SortKey.list(order),
                    page: try Page()
                )
                let (text, arguments) = try compiler.find(query).build(db)
                return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(text)", arguments: arguments)
                    .map { $0["detail"] as String }
            }
            #expect(details.first?.hasPrefix(expected) == true, "\(details)")
            // An order that an index gives needs no sorting.
            if !order.isEmpty { #expect(!details.contains { $0.contains("TEMP B-TREE FOR ORDER") }, "\(details)") }
        }
    }

    private func makeClass(in database: SQLiteDatabase) async throws -> ClassName {
        let name = try ClassName("Task")
        let folder = try ClassName("Folder")
        var schema = ClassSchema(name: name)
        for (field, type) in [
            ("n", .number), ("title", .string), ("profile", .object), ("when", .date), ("folder", .pointer(folder)),
            ("place", .geoPoint), ("code", .string),
        ] as [(String, FieldType)] {
            schema.fields[field] = FieldDefinition(type)
        }
        schema.indexes = try [["n", "title"], ["profile.city"], ["when"], ["folder"], ["place"]].map { fields in
            IndexDefinition(fields: try fields.map { try FieldPath($0) })
        }
        schema.indexes.append(IndexDefinition(fields: [FieldPath(field: "code")], isUnique: true))
        try await SQLiteObjectStore(database).write { [schema] in try $0.save(schema) }
        return name
    }

    private static let newest = SortKey(FieldPath(field: "createdAt"), descending: true)
    private static let file = ObjectIDGenerator().next()
    private static let verdict = FieldPath(field: VerdictField.verdict)

    @Test(
        "what the server itself looks up is found by an index, however many rows there are",
        arguments: [
            (
                ObjectQuery(.file, where: .field(FieldPath(field: "key"), .equals("x"))),
                "SEARCH class_1 USING INDEX class_1 unique key (<expr>=?)"
            ),
            (
                ObjectQuery(.censorJob, where: CensorJob.isDue(.new, at: .now()), order: CensorJob.order, page: .first),
                "SEARCH class_11 USING INDEX class_11 turn (<expr>>? AND <expr><?)"
            ),
            (
                ObjectQuery(.censorJob, where: CensorJob.isOf(run: file)),
                "SEARCH class_11 USING INDEX class_11 run (<expr>=?)"
            ),
            (
                ObjectQuery(.censorLog, where: CensorJob.isOf(file: file)),
                "SEARCH class_13 USING INDEX class_13 file (<expr>=?)"
            ),
            (
                ObjectQuery(.file, where: .field(verdict, .equals("rejected")), order: [newest]),
                "SEARCH class_1 USING INDEX class_1 censor^result,created^at (<expr>=?)"
            ),
        ]
    )
    func serverQueries(query: ObjectQuery, expected: String) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let details = try await database.pool.read { [catalog = database.catalog.current] db in
                let entry = try #require(catalog.entries[query.className])
                var compiler = ConditionSQL(catalog: catalog, entry: entry, functions: database.queries.functions)
                let (text, arguments) = try compiler.find(query).build(db)
                return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(text)", arguments: arguments)
                    .map { $0["detail"] as String }
            }
            #expect(details.first == expected, "\(details)")
            #expect(!details.contains { $0.contains("TEMP B-TREE FOR ORDER") }, "\(details)")
        }
    }
}
