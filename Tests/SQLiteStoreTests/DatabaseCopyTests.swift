import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

@Suite struct DatabaseCopyTests {
    /// A database that stays open, as that of a running server, and a path for its copy.
    private func withDatabase(_ body: (SQLiteDatabase, String, String) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            try await body(database, path, "\(folder)/copy.sqlite")
            try database.close()
        }
    }

    private func files(in copy: DatabaseCopy) throws -> [FileEntry] {
        var all: [FileEntry] = []
        try copy.forEachPage { files, _ in all += files }
        return all
    }

    @Test("a copy of an open database is one plain file with all that was committed")
    func plainFile() async throws {
        try await withDatabase { database, path, target in
            let record = try Samples.record()
            try await FileRecords(SQLiteObjectStore(database)).insert([record])
            let copy = try DatabaseCopy(of: path, at: target)
            #expect(try files(in: copy).map(\.id) == [record.id])
            try copy.close()
            #expect(!FileManager.default.fileExists(atPath: "\(target)-wal"))
            #expect(!FileManager.default.fileExists(atPath: "\(target)-journal"))
            // Versions of the file format for reading and writing: 1 is a database without a log.
            let header = try Data(contentsOf: URL(filePath: target)).prefix(20)
            #expect(Array(header.suffix(2)) == [1, 1])
            let opened = try SQLiteDatabase(path: target)
            #expect(try await FileRecords(SQLiteObjectStore(opened)).file(id: record.id) == record)
            try opened.close()
        }
    }

    @Test("file records come page by page, each once, in the order in which they were made")
    func pages() async throws {
        try await withDatabase { database, path, target in
            let records = try (0..<600).map { try Samples.record("\($0).jpg") }
            try await FileRecords(SQLiteObjectStore(database)).insert(records)
            let copy = try DatabaseCopy(of: path, at: target)
            #expect(try files(in: copy) == records.map { FileEntry(id: $0.id, key: $0.key, facts: $0.facts) })
            var largest = 0
            try copy.forEachPage { files, _ in largest = max(largest, files.count) }
            #expect(largest == 256)
            try copy.close()
        }
    }

    @Test("what is forgotten while pages are read is gone from the copy, its relations too, and from nowhere else")
    func forgotten() async throws {
        try await withDatabase { database, path, target in
            let store = SQLiteObjectStore(database)
            let records = try (0..<300).map { try Samples.record("\($0).jpg") }
            try await FileRecords(store).insert(records)
            let album = try ClassName("Album")
            let owner = Pointer(album, ObjectIDGenerator().next())
            try await store.write { writer in
                let photos = FieldDefinition(.relation(.file))
                try writer.save(ClassSchema(name: album, fields: ["photos": photos], indexes: []))
                try writer.relate(owner, "photos", to: records.map(\.id))
            }
            let copy = try DatabaseCopy(of: path, at: target)
            try copy.forEachPage { page, _ in try copy.forget(page.filter { $0.id != records[270].id }, []) }
            #expect(try files(in: copy).map(\.id) == [records[270].id])
            try copy.close()
            let opened = try SQLiteDatabase(path: target)
            let members = try await opened.pool.read { try String.fetchAll($0, sql: "SELECT member FROM relation") }
            #expect(members == [records[270].id.description])
            try opened.close()
            #expect(try await store.read { try $0.count(.always, in: .file) } == 300)
        }
    }

    @Test("a damaged row is copied as it is, and stays one when the copy is changed")
    func damagedRows() async throws {
        try await withDatabase { database, path, target in
            let store = SQLiteObjectStore(database)
            let records = try [Samples.record("kept.jpg"), Samples.record("left out.jpg")]
            try await FileRecords(store).insert(records)
            try await database.pool.write { db in
                // The usage, which copying and forgetting change, and a record.
                let usage = try #require(try Catalog(db).entries[.usage])
                let table = ClassTable(number: usage.number).name
                try db.execute(sql: "UPDATE \(table) SET body = json_set(body, '$.bytes', 1)")
                try db.execute(sql: "UPDATE class_1 SET created_at = created_at + 1 WHERE number = 1")
            }
            let copy = try DatabaseCopy(of: path, at: target)
            try copy.forget(files(in: copy).filter { $0.id == records[1].id }, [])
            var found: [String] = []
            try copy.forEachDamagedRow { found.append("\($0.className)/\($0.id)") }
            #expect(found == ["_File/\(records[0].id)", "_Usage/usage"])
            try copy.close()
        }
    }

    @Test("whether the original still has a record is asked when it is asked, not when it was copied")
    func originalHas() async throws {
        try await withDatabase { database, path, target in
            let store = SQLiteObjectStore(database)
            let records = try [Samples.record("kept.jpg"), Samples.record("deleted.jpg")]
            try await FileRecords(store).insert(records)
            let copy = try DatabaseCopy(of: path, at: target)
            _ = try await store.write { try $0.delete(records[1].id, in: .file) }
            #expect(try files(in: copy).map { copy.originalHas($0) } == [true, false])
            try copy.close()
        }
    }

    @Test("the record of a file whose bytes are missing is copied, and is no file with bytes")
    func missingFile() async throws {
        try await withDatabase { database, path, target in
            let id = try #require(ObjectID("f1"))
            let fields: [String: JSONValue] = ["key": "k", "name": "a", "_mirror": "missing"]
            try await SQLiteObjectStore(database).write { writer in
                try writer.insert(
                    StoredObject(id: id, createdAt: .now(), updatedAt: .now(), fields: fields),
                    into: .file
                )
            }
            let copy = try DatabaseCopy(of: path, at: target)
            try copy.forEachPage { files, broken in #expect(files.isEmpty && broken.isEmpty) }
            try copy.close()
            let copied = SQLiteObjectStore(try SQLiteDatabase(path: target))
            #expect(try await copied.read { try $0.object(id, in: .file)?.fields } == fields)
        }
    }

    @Test("a copy of a damaged database says so and keeps its pages")
    func damagedOriginal() async throws {
        try await withDamage {
            try Damage.spoilTable(of: .file, in: $0)
        } _: { path, target, _ in
            let copy = try DatabaseCopy(of: path, at: target)
            #expect(copy.damage?.contains("damaged") == true)
            try copy.close()
            let failure = #expect(throws: OpenFailure.self) { try DatabaseCopy(reading: target) }
            #expect(failure?.isDamage == true)
        }
    }

    @Test(
        "a record whose bytes were changed is told from the others and can be forgotten, its indexes too",
        arguments: [(#""key":"gone.jpg""#, #""key":"g\ne.jpg""#), (#""_size":7"#, #""_size":x"#)]
    )
    func brokenRecord(old: String, new: String) async throws {
        try await withDamage {
            try Damage.replace(old, by: new, in: $0)
        } _: { path, target, records in
            let copy = try DatabaseCopy(of: path, at: target)
            #expect(copy.damage == nil)
            var (whole, broken): ([FileEntry], [UnreadableRecord]) = ([], [])
            try copy.forEachPage { files, others in
                whole += files
                broken += others
                try copy.forget([], others)
            }
            #expect(broken.map(\.id) == [records[250].id.description])
            #expect(whole.count == records.count - 1)
            try copy.close()
            try expectSound(target, count: records.count - 1)
        }
    }

    @Test("records that are no JSON are passed at once, so that those of every page can be forgotten")
    func recordsWithoutJSON() async throws {
        try await withDamage {
            try Damage.replace(#""name":"7.jpg""#, by: #""name"/"7.jpg""#, in: $0)
            try Damage.replace(#""name":"407.jpg""#, by: #""name"/"407.jpg""#, in: $0)
        } _: { path, target, records in
            let copy = try DatabaseCopy(of: path, at: target)
            var broken: [[String]] = []
            try copy.forEachPage { _, others in
                if !others.isEmpty { broken.append(others.map(\.id)) }
                try copy.forget([], others)
            }
            #expect(broken == [[records[7].id.description, records[407].id.description]])
            try copy.close()
            try expectSound(target, count: records.count - 2)
        }
    }

    @Test("a copy of a database with a damaged class says so, has all other classes, and is not changed")
    func damagedClass() async throws {
        try await withDatabase { database, path, target in
            try await FileRecords(SQLiteObjectStore(database)).insert([Samples.record()])
            try await database.pool.write { try $0.execute(sql: "UPDATE class SET schema = '[]' WHERE name = '_Role'") }
            let copy = try DatabaseCopy(of: path, at: target)
            #expect(copy.damage?.hasPrefix("is damaged (the name or the schema of row ") == true)
            #expect(try files(in: copy).count == 1)
            try copy.close()
        }
    }

    @Test("a key that became another valid key is forgotten with its indexes, though they have the former one")
    func changedKey() async throws {
        let replacing: (String) throws -> Void = {
            try Damage.replace(#""key":"gone.jpg""#, by: #""key":"gene.jpg""#, in: $0)
        }
        try await withDamage(replacing) { path, target, records in
            let copy = try DatabaseCopy(of: path, at: target)
            try copy.forEachPage { files, _ in try copy.forget(files.filter { $0.id == records[250].id }, []) }
            try copy.close()
            try expectSound(target, count: records.count - 1)
        }
    }

    /// A closed database of 500 files, one with the key `gone.jpg` and seven bytes, that something has damaged.
    private func withDamage(
        _ damage: (String) throws -> Void,
        _ body: (String, String, [FileRecord]) throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            var records = try (0..<500).map { try Samples.record("\($0).jpg") }
            records[250] = try Samples.record("gone.jpg", key: FileKey("gone.jpg"), size: 7)
            try await FileRecords(SQLiteObjectStore(database)).insert(records)
            try database.close()
            try damage(path)
            try body(path, "\(folder)/copy.sqlite", records)
        }
    }

    private func expectSound(_ path: String, count: Int) throws {
        let (complaints, rows) = try DatabaseQueue(path: path).read { db in
            let complaints = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return (complaints, try Int.fetchOne(db, sql: "SELECT count(*) FROM class_1"))
        }
        #expect(complaints == ["ok"])
        #expect(rows == count)
    }

    @Test("a copy of an old database is of this version, and the original stays as it is")
    func oldVersion() async throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/v1.sqlite")
        try await Samples.withFolder { folder in
            let path = "\(folder)/v1.sqlite"
            try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
            let before = try Data(contentsOf: URL(filePath: path))
            let copy = try DatabaseCopy(of: path, at: "\(folder)/copy.sqlite")
            #expect(try files(in: copy).count == 3)
            try copy.close()
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test("a database of a newer version is refused, to be copied and to be read")
    func newerVersion() async throws {
        try await withDatabase { database, path, target in
            let plain = try DatabaseCopy(of: path, at: target)
            try plain.close()
            let queue = try DatabaseQueue(path: target)
            try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999 future')") }
            try queue.close()
            let reading = #expect(throws: OpenFailure.self) { try DatabaseCopy(reading: target) }
            #expect(reading?.message.contains("newer version") == true)
            let copying = #expect(throws: OpenFailure.self) { try DatabaseCopy(of: target, at: "\(target).second") }
            #expect(copying?.message.contains("newer version") == true)
        }
    }

    @Test("a copy with a damaged page is refused")
    func damaged() async throws {
        try await withDatabase { database, path, target in
            try await FileRecords(SQLiteObjectStore(database)).insert((0..<100).map { try Samples.record("\($0).jpg") })
            let copy = try DatabaseCopy(of: path, at: target)
            try copy.close()
            let whole = try DatabaseCopy(reading: target)
            try whole.close()
            var bytes = try Data(contentsOf: URL(filePath: target))
            bytes.replaceSubrange(8192..<(bytes.count - 4096), with: Data(repeating: 0xFF, count: bytes.count - 12_288))
            try bytes.write(to: URL(filePath: target))
            #expect(throws: OpenFailure.self) { try DatabaseCopy(reading: target) }
        }
    }

    @Test("a copy that cannot be written is said to be the cause, and a code without a message has SQLite's words")
    func unwritableCopy() async throws {
        try await withDatabase { _, path, target in
            let copy = "\(target)/none.sqlite"
            let failure = #expect(throws: OpenFailure.self) { try DatabaseCopy(of: path, at: copy) }
            #expect(failure?.message.hasPrefix("cannot be copied to \(copy) (SQLite error 14: unable to open") == true)
            #expect(failure?.isDamage == false)
        }
        let full = DatabaseError(resultCode: .SQLITE_FULL, message: "not an error")
        #expect(DatabaseCopy.line(full) == "SQLite error 13: database or disk is full")
        let told = DatabaseError(resultCode: .SQLITE_FULL, message: "told")
        #expect(DatabaseCopy.line(told) == "SQLite error 13: told")
    }

    @Test("what is no database is refused with one message")
    func noDatabase() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            try Data(repeating: 0x61, count: 8192).write(to: URL(filePath: path))
            let reading = #expect(throws: OpenFailure.self) { try DatabaseCopy(reading: path) }
            let copying = #expect(throws: OpenFailure.self) { try DatabaseCopy(of: path, at: "\(folder)/copy.sqlite") }
            for failure in [reading, copying] { #expect(failure?.message.contains("\n") == false) }
        }
    }
}
