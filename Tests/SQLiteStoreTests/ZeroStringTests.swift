import Domain
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// What strings with U+0000 cost: the classes that have one, and no others.
@Suite struct ZeroStringTests {
    private static let code = FieldPath(field: "code")
    private static let index = #"USING INDEX class_29 unique code (<expr>=?"#

    @Test("a class without strings with U+0000 has its usual indexes and statements")
    func without() async throws {
        try await withClass { database, name in
            try await insert("a", database, name)
            #expect(try await indexes(database) == ["class_29_created", "class_29_updated", "class_29 unique code"])
            let (statement, plan) = try await explain(database, name)
            #expect(!statement.contains("lcfile"))
            #expect(plan == "SEARCH class_29 \(Self.index))")
        }
    }

    @Test("with such a string the indexes are used on, also after the next start", arguments: ["a\0b", "\\u0000"])
    func with(text: String) async throws {
        try await withClass { database, name in
            try await insert("a", database, name)
            try await insert(text, database, name)
            try await insert("b\0", database, name)
            let expected: Set = [
                "class_29_created", "class_29_updated", "class_29_zeros", "class_29 unique code",
            ]
            #expect(try await indexes(database) == expected)
            let (statement, plan) = try await explain(database, name)
            #expect(statement.contains("lcfile_body"))
            #expect(plan == "SEARCH class_29 \(Self.index))")
            let again = try SQLiteDatabase(path: database.pool.path)
            #expect(try await explain(again, name).plan == plan)
            let count = try await SQLiteObjectStore(again).read { reader in
                try reader.count(.field(Self.code, .equals("a")), in: name)
            }
            #expect(count == 1)
            try again.close()
        }
    }

    private func withClass(_ body: (SQLiteDatabase, ClassName) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let name = try ClassName("Task")
            let index = IndexDefinition(fields: [Self.code], isUnique: true)
            let schema = ClassSchema(name: name, fields: ["code": FieldDefinition(.string)], indexes: [index])
            try await SQLiteObjectStore(database).write { try $0.save(schema) }
            try await body(database, name)
            #expect(try await database.inspectAll().damaged == [])
            try database.close()
        }
    }

    private func insert(_ text: String, _ database: SQLiteDatabase, _ name: ClassName) async throws {
        let now = Timestamp.now()
        let object = StoredObject(
            id: ObjectIDGenerator().next(),
            createdAt: now,
            updatedAt: now,
            fields: ["code": .string(text)]
        )
        try await SQLiteObjectStore(database).write { try $0.insert(object, into: name) }
    }

    private func indexes(_ database: SQLiteDatabase) async throws -> Set<String> {
        try await database.pool.read { db in
            try String.fetchSet(
                db,
                sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'class_29' AND sql IS NOT NULL"
            )
        }
    }

    private func explain(
        _ database: SQLiteDatabase,
        _ name: ClassName
    ) async throws -> (statement: String, plan: String?) {
        try await database.pool.read { [catalog = database.catalog.current] db in
            let entry = try #require(catalog.entries[name])
            var compiler = ConditionSQL(catalog: catalog, entry: entry, functions: database.queries.functions)
            let query = ObjectQuery(name, where: .field(Self.code, .equals("a")))
            let (text, arguments) = try compiler.find(query).build(db)
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(text)", arguments: arguments)
            return (text, plan.first?["detail"])
        }
    }
}
