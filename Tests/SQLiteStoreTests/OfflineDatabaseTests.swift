import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

@Suite struct OfflineDatabaseTests {
    /// A database that no server has open, with three files, of whose rows one was changed by a disk.
    private func withDamage(
        _ change: (String, String),
        _ body: (OfflineDatabase, [FileRecord], String) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            let store = SQLiteObjectStore(database)
            let records = try ["first.jpg", "second.jpg", "third.jpg"].map { try Samples.record($0) }
            try await FileRecords(store).insert(records)
            let album = try ClassName("Album")
            try await store.write { writer in
                try writer.save(ClassSchema(name: album, fields: ["files": FieldDefinition(.relation(.file))]))
                let object = StoredObject.sample([:])
                try writer.insert(object, into: album)
                try writer.relate(Pointer(album, object.id), "files", to: records.map(\.id))
            }
            try database.close()
            try Damage.replace(change.0, by: change.1, in: path)
            let offline = try OfflineDatabase(path: path)
            try await body(offline, records, path)
        }
    }

    @Test("an accepted row is read as it is, and its indexes find it by its present values")
    func accepted() async throws {
        try await withDamage(("second.jpg", "secant.jpg")) { offline, records, path in
            let damaged = try await offline.inspectAll().damaged
            #expect(damaged.map(\.id) == [records[1].id.description])
            try await offline.accept(damaged)
            #expect(try await offline.inspectAll().damaged == [])
            try offline.close()
            let database = try SQLiteDatabase(path: path)
            let file = try await FileRecords(SQLiteObjectStore(database)).file(id: records[1].id)
            #expect(file?.name.description == "secant.jpg")
            #expect(try await database.pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
            try database.close()
        }
    }

    @Test(
        "a row that holds no object is not accepted, and stays as it is",
        arguments: [
            (#""name":"second.jpg""#, #""name";"second.jpg""#),
            // JSON, but not as the server writes it: the members are not in order.
            (#""name":"second.jpg""#, #""aame":"second.jpg""#),
        ]
    )
    func unacceptable(change: (String, String)) async throws {
        try await withDamage(change) { offline, _, _ in
            let damaged = try await offline.inspectAll().damaged
            #expect(damaged.count == 1)
            await #expect(throws: UnacceptableRow.self) { try await offline.accept(damaged) }
            #expect(try await offline.inspectAll().damaged == damaged)
            try offline.close()
        }
    }

    @Test(
        "a row with a time outside of the years 0000 to 9999 is not accepted",
        arguments: ["created_at", "updated_at"]
    )
    func unacceptableTime(column: String) async throws {
        try await withDamage(("second.jpg", "secant.jpg")) { offline, _, path in
            try offline.close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                let table = ClassTable(number: try #require(try Catalog(db).entries[.file]).number).name
                try db.execute(sql: "UPDATE \(table) SET \(column) = \(column) - (1 << 47) WHERE number = 2")
            }
            try queue.close()
            let again = try OfflineDatabase(path: path)
            let damaged = try await again.inspectAll().damaged
            #expect(damaged.map(\.number) == [2])
            await #expect(throws: UnacceptableRow.self) { try await again.accept(damaged) }
            try again.close()
        }
    }

    @Test(
        "a removed row leaves no index entry, relation or usage behind",
        arguments: [("second.jpg", "secant.jpg"), (#""name":"second.jpg""#, #""name";"second.jpg""#)]
    )
    func removed(change: (String, String)) async throws {
        try await withDamage(change) { offline, records, path in
            try await offline.remove(try await offline.inspectAll().damaged)
            #expect(try await offline.inspectAll().damaged == [])
            try offline.close()
            let database = try SQLiteDatabase(path: path)
            let store = SQLiteObjectStore(database)
            let files = FileRecords(store)
            #expect(try await files.file(id: records[1].id) == nil)
            #expect(try await files.file(key: records[1].key) == nil)
            #expect(try await files.file(id: records[2].id) == records[2])
            let usage = try await store.read { try $0.usage() }
            #expect([usage.files, usage.bytes] == [2, 6])
            let members = try await database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM relation") }
            #expect(members == 2)
            #expect(try await database.pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
            try database.close()
        }
    }

    @Test("after a row was removed the usage is counted without sizes that no file has")
    func impossibleSizes() async throws {
        try await withDamage(("second.jpg", "secant.jpg")) { offline, _, path in
            try offline.close()
            let queue = try DatabaseQueue(path: path)
            try await queue.write { db in
                try RowChecksum.add(to: db)
                let table = ClassTable(number: try #require(try Catalog(db).entries[.file]).number).name
                let body = "json_set(body, '$._size', \(Int64.max))"
                try db.execute(sql: "\(RowChecksum.update(table, settingBody: body)) WHERE number <> 2")
            }
            try queue.close()
            let again = try OfflineDatabase(path: path)
            let damaged = try await again.inspectAll().damaged
            #expect(damaged.map(\.number) == [2])
            try await again.remove(damaged)
            try again.close()
            let database = try SQLiteDatabase(path: path)
            let usage = try await SQLiteObjectStore(database).read { try $0.usage() }
            #expect([usage.files, usage.bytes] == [2, 0])
            try database.close()
        }
    }

    @Test("rows that are no JSON are removed together, because no index can be created beside one of them")
    func rowsWithoutJSON() async throws {
        try await withDamage((#""name":"first.jpg""#, #""name"/"first.jpg""#)) { offline, _, path in
            try offline.close()
            try Damage.replace(#""name":"second.jpg""#, by: #""name"/"second.jpg""#, in: path)
            let again = try OfflineDatabase(path: path)
            let damaged = try await again.inspectAll().damaged
            #expect(damaged.map(\.number) == [1, 2])
            await #expect(throws: UnacceptableRow.self) { try await again.remove([damaged[0]]) }
            let left = try await again.inspectAll().damaged
            #expect(left == damaged)
            try await again.remove(damaged)
            #expect(try await again.inspectAll().damaged == [])
            try again.close()
        }
    }

    @Test("a row is not accepted while another one of its class is no JSON, and stays as it is")
    func besideRowWithoutJSON() async throws {
        try await withDamage((#""name":"first.jpg""#, #""name"/"first.jpg""#)) { offline, _, path in
            try offline.close()
            try Damage.replace("second.jpg", by: "secant.jpg", in: path)
            let again = try OfflineDatabase(path: path)
            let damaged = try await again.inspectAll().damaged
            #expect(damaged.map(\.number) == [1, 2])
            let refusal = await #expect(throws: UnacceptableRow.self) { try await again.accept([damaged[1]]) }
            #expect(refusal?.row == damaged[1])
            #expect(try await again.inspectAll().damaged == damaged)
            try again.close()
        }
    }

    @Test("a repair passes over rows that are intact or gone")
    func intact() async throws {
        try await withDamage(("second.jpg", "secant.jpg")) { offline, records, _ in
            let others = [
                DamagedRow(className: "_File", number: 1, id: records[0].id.description, damage: ""),
                DamagedRow(className: "_File", number: 99, id: "", damage: ""),
                DamagedRow(className: "Nothing", number: 1, id: "", damage: ""),
            ]
            let before = try await offline.inspectAll()
            try await offline.remove(others)
            try await offline.accept(others)
            let after = try await offline.inspectAll()
            #expect(before == after)
            try offline.close()
        }
    }
}
