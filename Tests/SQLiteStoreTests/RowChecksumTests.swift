import Domain
import Foundation
import GRDB
import Support
import Synchronization
import Testing

@testable import SQLiteStore

@Suite struct RowChecksumTests {
    /// A database with two files, whose records were written as a server writes them.
    private func withFiles(
        health: StorageHealth = StorageHealth(),
        _ body: (SQLiteDatabase, [FileRecord]) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite", health: health)
            let records = [try Samples.record("first.jpg"), try Samples.record("second.jpg")]
            try await FileRecords(SQLiteObjectStore(database)).insert(records)
            try await body(database, records)
            try database.close()
        }
    }

    /// Changes the first file's row as a disk does: behind the back of the store.
    private func spoil(_ database: SQLiteDatabase, _ change: String) async throws {
        try await database.pool.write { db in
            try db.execute(sql: "UPDATE class_1 SET \(change) WHERE number = 1")
        }
    }

    static let damages = [
        "body = replace(body, 'first.jpg', 'girst.jpg')", "acl = NULL", "acl = replace(acl, 'true', 'trud')",
        "created_at = created_at + 1", "updated_at = updated_at - 4096", "checksum = checksum + 1",
    ]

    @Test("a changed row is found, and no other", arguments: damages + ["checksum = NULL"])
    func found(change: String) async throws {
        try await withFiles { database, records in
            try await spoil(database, change)
            let (count, damaged) = try await database.inspectAll()
            #expect(count == 3)
            let damage = change == "checksum = NULL" ? "has no checksum" : "does not match its checksum"
            let expected = DamagedRow(className: "_File", number: 1, id: records[0].id.description, damage: damage)
            #expect(damaged == [expected])
        }
    }

    @Test("a damaged usage is replaced without a read of its row")
    func usage() async throws {
        try await withFiles { database, _ in
            let store = SQLiteObjectStore(database)
            let number = try #require(database.catalog.current.entries[.usage]?.number)
            try await database.pool.write { db in
                try db.execute(sql: "UPDATE class_\(number) SET body = replace(body, '\"files\":2', '\"files\":7')")
            }
            await expectFailure(.storageDamaged) { try await store.read { try $0.usage() } }
            var usage = Usage()
            usage.files = 2
            try await store.correctUsage(to: usage)
            #expect(try await store.read { try $0.usage() } == usage)
            #expect(try await database.inspectAll().damaged.isEmpty)
        }
    }

    @Test("intact rows are read beside one that is damaged in any column", arguments: damages + ["id = 'x'"])
    func intact(change: String) async throws {
        try await withFiles { database, records in
            try await spoil(database, change)
            let (intact, damaged) = try await SQLiteObjectStore(database).read { reader in
                var damaged: [String] = []
                let rows = try reader.intactRows(in: .file) { damaged.append($0) }
                return (rows.map(\.id), damaged)
            }
            #expect(intact == [records[1].id])
            #expect(damaged == [change == "id = 'x'" ? "x" : records[0].id.description])
        }
    }

    @Test("a changed row is never read as good, and is a fault of the storage", arguments: damages)
    func refused(change: String) async throws {
        let faults = Mutex<[StorageFault]>([])
        try await withFiles(health: StorageHealth { fault in faults.withLock { $0.append(fault) } }) {
            database,
            records in
            let store = SQLiteObjectStore(database)
            let files = FileRecords(store)
            try await spoil(database, change)
            await expectFailure(.storageDamaged) { try await files.file(id: records[0].id) }
            await expectFailure(.storageDamaged) { try await files.file(key: records[0].key) }
            let (id, all) = (records[0].id, ObjectQuery(.file, page: .all))
            await expectFailure(.storageDamaged) { try await store.read { try $0.find(all) } }
            await expectFailure(.storageDamaged) { try await store.read { try $0.texts("name", of: all) } }
            await expectFailure(.storageDamaged) { try await store.write { try $0.object(id, in: .file) } }
            #expect(faults.withLock(\.self) == Array(repeating: .damaged, count: 5))
            #expect(try await files.file(id: records[1].id) == records[1])
        }
    }

    @Test(
        "a text that became a BLOB of the same bytes, or gave a byte to the next one, is found",
        arguments: [
            ["id": "CAST(id AS BLOB)"], ["acl": "CAST(acl AS BLOB)"], ["body": "CAST(body AS BLOB)"],
            ["id": "id || '{'", "acl": "substr(acl, 2)"], ["acl": "acl || '{'", "body": "substr(body, 2)"],
        ]
    )
    func boundaries(changes: [String: String]) async throws {
        try await withFiles { database, _ in
            let values = RowChecksum.columns.map { changes[$0] ?? $0 }
            let isOther = try await database.pool.read { db in
                try Bool.fetchOne(
                    db,
                    sql: "SELECT checksum <> \(RowChecksum.call(with: values)) FROM class_1 WHERE number = 1"
                )
            }
            #expect(isOther == true)
        }
    }

    @Test("the checksum of a row is the same in every version of the server")
    func known() async throws {
        try await withFiles { database, _ in
            let checksums = try await database.pool.read { db in
                try Int64.fetchAll(
                    db,
                    sql: """
                        SELECT lcfile_checksum('5f1c', 1700000000000, 1700000000001, NULL, '{"n":1}')
                        UNION ALL SELECT lcfile_checksum('5f1c', 1700000000000, 1700000000001, '{}', '{"n":1}')
                        """
                )
            }
            #expect(checksums == [-1_139_731_059, -962_135_785])
        }
    }

    @Test("pages of every size cover all rows once", arguments: [1, 2, 3, 7, 10_000])
    func pages(limit: Int) async throws {
        try await withFiles { database, _ in
            let store = SQLiteObjectStore(database)
            try await store.write { writer in
                for name in try [ClassName("Task"), ClassName("Note")] {
                    try writer.save(ClassSchema(name: name))
                    for _ in 0..<5 { try writer.insert(StoredObject.sample([:]), into: name) }
                }
            }
            let (count, damaged) = try await database.inspectAll(limit: limit)
            #expect(count == 13)
            #expect(damaged.isEmpty)
        }
    }

    @Test("behind a page that cannot be read, the inspection goes on with the next class")
    func damagedPage() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            let (first, second) = (try ClassName("First"), try ClassName("Second"))
            try await SQLiteObjectStore(database).write { writer in
                for name in [first, second] {
                    try writer.save(ClassSchema(name: name))
                    for _ in 0..<300 { try writer.insert(StoredObject.sample(["s": "some text"]), into: name) }
                }
            }
            try database.close()
            try Damage.spoilTable(of: first, in: path)
            let offline = try OfflineDatabase(path: path)
            let (count, damaged) = try await offline.inspectAll(limit: 50)
            #expect(damaged.map(\.className) == ["First"])
            #expect(damaged.first?.damage.contains("is the last one that can be read") == true)
            #expect(count > 300)
            #expect(count < 600)
            try offline.close()
        }
    }

    @Test("a copy without forgotten files and unfinished work has the checksums of what it holds")
    func copies() async throws {
        try await withFiles { database, records in
            let copy = try DatabaseCopy(of: database.pool.path, at: "\(database.pool.path).copy")
            let facts = records.map { FileEntry(id: $0.id, key: $0.key, facts: $0.facts) }
            try copy.forget([facts[0]], [])
            let (count, damaged) = try await copy.inspectAll()
            #expect(count == 2)
            #expect(damaged.isEmpty)
            try copy.close()
        }
    }
}
