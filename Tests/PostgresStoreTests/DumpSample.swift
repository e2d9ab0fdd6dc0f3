import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import PostgresStore
@testable import SQLiteStore

/// Objects with relations, counters and all kinds of indexes, and what databases have of them.
enum DumpSample {
    static let task: ClassName = {
        do { return try ClassName("Task") } catch { preconditionFailure("Task is a class name") }
    }()

    static func object(
        _ number: Int,
        _ fields: [String: JSONValue],
        acl: AccessControlList? = nil
    ) throws -> StoredObject {
        let time = Timestamp(milliseconds: Int64(number))
        return StoredObject(
            id: try #require(ObjectID("object\(number)")),
            createdAt: time,
            updatedAt: time,
            acl: acl,
            fields: fields
        )
    }

    /// Creates a file with a few objects.
    static func make(_ path: String) async throws {
        let database = try SQLiteDatabase(path: path)
        try await fill(SQLiteObjectStore(database))
        try await close(database, at: path)
    }

    /// Ends the backlog of checksums, because a loaded row always has one; leaves a plain file.
    static func close(_ database: SQLiteDatabase, at path: String) async throws {
        while try await !database.fillChecksums(limit: 1000) {}
        try database.close()
        try DatabaseCopy.makePlain(path)
    }

    /// Creates three objects of a class with indexes, relations and a counter.
    static func fill(_ store: some ObjectStore) async throws {
        var fields: [String: FieldDefinition] = [
            "s": FieldDefinition(.string), "place": FieldDefinition(.geoPoint), "n": FieldDefinition(.number),
            "likes": FieldDefinition(.relation(task)), "o": FieldDefinition(.object),
        ]
        var number = FieldDefinition(.number)
        (number.isAutoIncrement, number.isHidden) = (true, true)
        fields["number"] = number
        let indexes = [["place"], ["n", "s"], ["o.k"], ["createdAt", "n"]].map { paths in
            IndexDefinition(fields: paths.compactMap { try? FieldPath($0) })
        }
        var schema = ClassSchema(
            name: task,
            fields: fields,
            indexes: indexes + [IndexDefinition(fields: [FieldPath(field: "s")], isUnique: true)]
        )
        schema.defaultACL = AccessControlList(stored: ["*": .object(["read": .bool(true)])])
        let objects = [
            try object(1, ["s": "a", "place": GeoPoint(latitude: 1, longitude: 2).json, "n": .integer(.max)]),
            try object(2, ["s": "\u{1}é", "o": .object(["k": .number(-0.5)])], acl: AccessControlList(stored: [:])),
            try object(3, ["n": .null], acl: AccessControlList(stored: ["user": .object(["write": .bool(true)])])),
        ]
        try await store.write { [schema] writer in
            try writer.save(schema)
            for object in objects {
                try writer.insert(object, into: task)
                _ = try writer.nextNumber(of: "number", in: task)
            }
            try writer.relate(Pointer(task, objects[0].id), "likes", to: objects.map(\.id))
            try writer.relate(Pointer(task, objects[2].id), "likes", to: [objects[0].id])
        }
    }

    /// Changes what ``fill(_:)`` made in all ways that a copy has to follow.
    static func change(_ store: some ObjectStore) async throws {
        let found = try await store.read { try $0.schema(of: task) }
        var schema = try #require(found)
        schema.fields["same"] = FieldDefinition(.string)
        schema.indexes.removeAll { $0.name == "place" }
        schema.indexes.append(IndexDefinition(fields: [FieldPath(field: "n")]))
        let later = ClassSchema(
            name: try ClassName("Later"),
            fields: ["s": FieldDefinition(.string)],
            indexes: [IndexDefinition(fields: [FieldPath(field: "s")], isUnique: true)]
        )
        let hidden = AccessControlList(stored: [:])
        let objects = try (1...6).map { try object($0, [:]) }
        // The values of a unique index change places.
        let updates = try [
            object(1, ["s": "b", "n": .integer(2)]), object(2, ["s": "a"], acl: hidden), object(1, ["s": "\u{1}é"]),
        ]
        let created = try [
            object(4, ["s": "d", "same": "x"], acl: hidden), object(5, ["s": "e", "same": "x"], acl: hidden),
        ]
        try await store.write { [schema] writer in
            try writer.save(schema)
            try writer.save(later)
            try writer.insert(object(1, ["s": "a"]), into: later.name)
            for object in updates { try writer.update(object, in: task) }
            for object in created { try writer.insert(object, into: task) }
            // The same id gets another number.
            _ = try writer.delete(objects[3].id, in: task)
            try writer.insert(created[0], into: task)
            try writer.unrelate(Pointer(task, objects[0].id), "likes", from: [objects[1].id])
            try writer.relate(Pointer(task, objects[0].id), "likes", to: [objects[4].id])
            _ = try writer.nextNumber(of: "number", in: task)
        }
    }

    /// The counter, the unique index, the ACLs and the relations of ``fill(_:)`` are in force.
    static func goOn(_ store: some ObjectStore, number: Int64 = 4) async throws {
        #expect(try await store.write { try $0.nextNumber(of: "number", in: task) } == number)
        let same = try object(90, ["s": "a"])
        await expectFailure(.duplicateValue) { try await store.write { try $0.insert(same, into: task) } }
        let readable = ObjectQuery(task, readableBy: .subjects(.guest))
        #expect(try await store.read { try $0.rows(readable).map(\.id.description) } == ["object1"])
        let owner = try #require(ObjectID("object3"))
        let isMember = Condition.member(of: Pointer(task, owner), key: "likes")
        let members = ObjectQuery(task, where: isMember)
        #expect(try await store.read { try $0.rows(members).map(\.id.description) } == ["object1"])
    }

    /// Adds rows as another version of the server could have written them.
    static func add(_ bodies: [String], acl: String? = nil, to path: String) throws {
        let queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: false))
        try queue.write { db in
            let number = try #require(try Catalog(db).entries[task]?.number)
            let table = SQLiteStore.ClassTable(number: number).name
            for (index, body) in bodies.enumerated() {
                try db.execute(
                    sql: "INSERT INTO \(table) VALUES (?1, ?2, -5, ?1, ?4, ?3, lcfile_checksum(?2, -5, ?1, ?4, ?3))",
                    arguments: [100 + index * 7, "odd\(index)", body, acl]
                )
            }
        }
        try queue.close()
    }

    /// Runs a body with a server of a new schema.
    static func withServer(_ body: (PostgresObjectStore, PostgresAddress) async throws -> Void) async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, readers: 2, lookups: 2)
            try await store.prepare()
            try await body(store, address)
            try await store.close()
        }
    }

    /// Loads a file into a schema.
    @discardableResult
    static func move(_ path: String, to address: PostgresAddress) throws -> DumpTally {
        try copy(path, to: PostgresLoad(into: address))
    }

    /// Loads a file, which a server can have open.
    @discardableResult
    static func copy(_ path: String, to target: some DumpTarget) throws -> DumpTally {
        let copy = try DatabaseCopy(reading: path)
        let tally = try target.loadAll(of: copy)
        try copy.close()
        return tally
    }

    /// Changes what an earlier copy has to what a file has, which a server can have open.
    @discardableResult
    static func copy(_ path: String, updating target: some DumpTarget) throws -> DumpTally {
        let copy = try DatabaseCopy(reading: path)
        let tally = try target.updateAll(to: copy)
        try copy.close()
        return tally
    }

    /// All rows of a file with their numbers and checksums, and its relations and counters.
    static func lines(of path: String) throws -> Set<String> {
        try DatabaseQueue(path: path).read { db in
            var lines: Set<String> = []
            for (name, entry) in try Catalog(db).entries {
                let table = SQLiteStore.ClassTable(number: entry.number).name
                for sql in [
                    "SELECT * FROM \(table)", "SELECT key, owner, member FROM relation WHERE class = \(entry.number)",
                    "SELECT field, last FROM counter WHERE class = \(entry.number)",
                    "SELECT schema FROM class WHERE number = \(entry.number)",
                ] {
                    for row in try Row.fetchAll(db, sql: sql) {
                        let values = row.databaseValues.map { String.fromDatabaseValue($0) ?? "\($0)" }
                        lines.insert("\(name) \(values.joined(separator: "|"))")
                    }
                }
            }
            return lines
        }
    }

    /// The definitions of all tables and indexes, with the names of classes for their numbers.
    static func indexes(of path: String) throws -> [String] {
        try DatabaseQueue(path: path).read { db in
            let names = try Catalog(db).entries.map { ("class_\($1.number)", "\($0)") }
            return try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").map { sql in
                // The longest first, because class_1 is the beginning of class_12.
                names.sorted { $0.0.count > $1.0.count }.reduce(sql) { text, pair in
                    text.replacingOccurrences(of: pair.0, with: pair.1)
                }
            }.sorted()
        }
    }
}

/// Passes on a number of rows, and then runs a body.
struct StoppingSource: DumpSource {
    let source: any DumpSource
    let rows: Int
    let stop: () throws -> Void

    func forEachItem(_ body: (DumpItem) throws -> Void) throws {
        var count = 0
        try source.forEachItem { item in
            if case .row = item {
                count += 1
                if count == rows { try stop() }
            }
            try body(item)
        }
    }
}
