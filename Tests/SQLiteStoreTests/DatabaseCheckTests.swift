import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

@Suite struct DatabaseCheckTests {
    /// A check beside a database that stays open, as that of a running server.
    private func withDatabase(_ body: (SQLiteObjectStore, DatabaseCheck) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            let check = try DatabaseCheck(path: path, repairing: false)
            try await body(SQLiteObjectStore(database), check)
            try check.close()
            try database.close()
        }
    }

    private func allFiles(_ check: DatabaseCheck) throws -> [NamedFile] {
        try (UInt8.min...UInt8.max).flatMap { try check.files(beginningWith: $0) }
    }

    @Test("files are listed in the order of their blobs' names, with totals")
    func listing() async throws {
        try await withDatabase { store, check in
            let records = try (0..<300).map { try Samples.record("\($0).jpg", size: Int64($0)) }
            try await FileRecords(store).insert(records)
            let totals = try check.listFiles { _ in }
            #expect(totals.files == 300)
            #expect(totals.bytes == (0..<300).reduce(0, +))
            let files = try allFiles(check)
            #expect(files.map(\.blob) == records.map { BlobName($0.key) }.sorted())
            #expect(Set(files.map(\.entry.id)) == Set(records.map(\.id)))
            #expect(try check.has(files[0].entry))
            _ = try await store.write { try $0.delete(files[0].entry.id, in: .file) }
            #expect(try !check.has(files[0].entry))
        }
    }

    @Test("a blob that a record, a queued deletion or a note names by the second look is no orphan")
    func secondLook() async throws {
        try await withDatabase { store, check in
            _ = try check.listFiles { _ in }
            let records = try (0..<4).map { try Samples.record("\($0).jpg") }
            let blobs = records.map { BlobName($0.key) }
            try check.noteUnnamed(blobs)
            // The first is stored, the second deleted, and the third is being committed since the list was made.
            try await FileRecords(store).insert(Array(records[..<2]))
            try await store.write { writer in
                _ = try writer.delete(records[1].id, in: .file)
                let fields: [String: JSONValue] = ["key": .string(records[1].key.description)]
                let row = StoredObject(id: records[1].id, createdAt: .now(), updatedAt: .now(), fields: fields)
                try writer.insert(row, into: .deletion)
            }
            try check.dropNamed(besides: [blobs[2]])
            #expect(try check.unnamed(after: nil, limit: 10) == [blobs[3]])
            #expect(try check.unnamed(after: blobs[3], limit: 10).isEmpty)
        }
    }

    @Test("references to files that do not exist are found in every class, and only those")
    func references() async throws {
        try await withDatabase { store, check in
            let record = try Samples.record()
            try await FileRecords(store).insert([record])
            let gone = ObjectIDGenerator().next()
            func pointer(_ id: ObjectID) -> JSONValue {
                .object(["__type": "Pointer", "className": "_File", "objectId": .string(id.description)])
            }
            let name = try ClassName("Task")
            let objects = [[pointer(record.id)], [pointer(record.id), .object(["a": pointer(gone)])]].map { values in
                StoredObject(
                    id: ObjectIDGenerator().next(),
                    createdAt: .now(),
                    updatedAt: .now(),
                    fields: ["files": .array(values)]
                )
            }
            try await store.write { writer in
                try writer.save(ClassSchema(name: name))
                for object in objects { try writer.insert(object, into: name) }
            }
            // The check reads the classes when it opens the database.
            let path = check.queue.path
            let again = try DatabaseCheck(path: path, repairing: false)
            var found: [DanglingReference] = []
            try again.forEachDanglingReference { found.append($0) }
            let object = objects[1].id.description
            #expect(found == [DanglingReference(className: "Task", object: object, file: gone)])
            try again.close()
        }
    }

    @Test("members of relations that do not exist are found, those of deleted files are gone")
    func relations() async throws {
        try await withDatabase { store, check in
            let records = try (0..<4).map { try Samples.record("\($0).jpg") }
            try await FileRecords(store).insert(records)
            let name = try ClassName("Album")
            let owners = [ObjectIDGenerator().next(), ObjectIDGenerator().next()]
            try await store.write { writer in
                try writer.save(ClassSchema(name: name, fields: ["photos": FieldDefinition(.relation(.file))]))
                for owner in owners { try writer.relate(Pointer(name, owner), "photos", to: records.map(\.id)) }
                _ = try writer.delete(records[0].id, in: .file)
            }
            // A lost row, as after damage of a page.
            let path = check.queue.path
            let lost = records[1].id.description
            try await DatabaseQueue(path: path).write { db in
                try db.execute(sql: "DELETE FROM class_1 WHERE id = ?", arguments: [lost])
            }
            let again = try DatabaseCheck(path: path, repairing: false)
            var found: [DanglingReference] = []
            try again.forEachDanglingReference { found.append($0) }
            #expect(
                found
                    == owners.map(\.description).sorted().map { owner in
                        DanglingReference(className: "Album", object: owner, file: records[1].id, relation: "photos")
                    }
            )
            try again.close()
        }
    }

    @Test("usage is what the files are, and a wrong one shows")
    func usage() async throws {
        try await withDatabase { store, check in
            try await FileRecords(store).insert([try Samples.record(size: 5), try Samples.record(size: 6)])
            var usage = try check.usage()
            #expect(usage.stored == usage.counted)
            #expect(usage.counted.bytes == 11)
            _ = try await store.write { writer in
                var object = try #require(try writer.object(Usage.id, in: .usage))
                object.fields["bytes"] = .integer(7)
                try writer.update(object, in: .usage)
            }
            usage = try check.usage()
            #expect(usage.stored.bytes == 7)
            try await store.correctUsage(to: usage.counted)
            usage = try check.usage()
            #expect(usage.stored == usage.counted)
        }
    }

    @Test(
        "a record without a valid size is listed separately",
        arguments: [.string("no number"), .integer(-3), .integer(.max)] as [JSONValue]
    )
    func unreadable(size: JSONValue) async throws {
        try await withDatabase { store, check in
            let records = [try Samples.record("a.jpg"), try Samples.record("b.jpg"), try Samples.record("c.jpg")]
            try await FileRecords(store).insert(records)
            try await store.write { writer in
                for record in records.dropFirst() {
                    var object = try #require(try writer.object(record.id, in: .file))
                    object.fields["_size"] = size
                    try writer.update(object, in: .file)
                }
            }
            let totals = try check.listFiles { _ in }
            #expect(totals.files == 1)
            #expect(totals.bytes == 3)
            #expect(totals.unreadable.map(\.id) == records.dropFirst().map(\.id.description))
            let counted = try check.usage().counted
            #expect([counted.files, counted.bytes] == [3, 3])
        }
    }

    @Test("a damaged page of a table is found, and is not a matter of indexes")
    func damagedTable() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            try await fill(path)
            try Damage.spoilTable(of: .file, in: path)
            let check = try DatabaseCheck(path: path, repairing: false)
            #expect(try !check.pageDamage(comparingIndexes: false).isEmpty)
            #expect(!check.hasReadableRows())
            try check.close()
        }
    }

    @Test("an index whose page lost its form is found, and is not rebuilt, because it cannot be emptied")
    func damagedIndex() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            try await fill(path)
            try Damage.spoilIndex("sqlite_autoindex_class_1_1", in: path)
            let check = try DatabaseCheck(path: path, repairing: true)
            #expect(try !check.pageDamage(comparingIndexes: false).isEmpty)
            #expect(check.hasReadableRows())
            let failure = #expect(throws: OpenFailure.self) { try check.rebuildIndexes() }
            #expect(failure?.isDamage == true)
            #expect(check.hasReadableRows())
            try check.close()
        }
    }

    @Test("an index that lacks a row is found by comparing it with the rows")
    func incompleteIndex() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            try await fill(path)
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { db in
                // The table without its index, as a lost page of the index leaves it.
                let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'class_1_created'")
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(sql: "UPDATE sqlite_master SET sql = sql || ' WHERE 0' WHERE name = 'class_1_created'")
                try db.execute(sql: "PRAGMA writable_schema = RESET")
                try db.execute(sql: "REINDEX class_1_created; PRAGMA writable_schema = ON")
                try db.execute(sql: "UPDATE sqlite_master SET sql = ? WHERE name = 'class_1_created'", arguments: [sql])
                try db.execute(sql: "PRAGMA writable_schema = RESET")
            }
            try queue.close()
            let check = try DatabaseCheck(path: path, repairing: true)
            #expect(try check.pageDamage(comparingIndexes: false).isEmpty)
            #expect(try !check.pageDamage(comparingIndexes: true).isEmpty)
            try check.rebuildIndexes()
            #expect(try check.pageDamage(comparingIndexes: true).isEmpty)
            try check.close()
        }
    }

    @Test("beside a row that is no JSON the pages are checked, and indexes are damage that cannot be rebuilt")
    func rowWithoutJSON() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            try await fill(path)
            try Damage.replace(#""name":"7.jpg""#, by: #""name"/"7.jpg""#, in: path)
            let check = try DatabaseCheck(path: path, repairing: true)
            #expect(try check.pageDamage(comparingIndexes: true).isEmpty)
            let failure = #expect(throws: OpenFailure.self) { try check.rebuildIndexes() }
            #expect(failure?.isDamage == true)
            try check.close()
        }
    }

    @Test(
        "a class whose name or schema cannot be read is damage of the database, in words for an operator",
        arguments: ["name = '1 \u{fe}'", "schema = '[]'"]
    )
    func damagedClasses(change: String) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            try await fill(path)
            let number = try await DatabaseQueue(path: path).write { db in
                let number = try #require(try Catalog(db).entries[.role]?.number)
                try db.execute(sql: "UPDATE class SET \(change) WHERE number = ?", arguments: [number])
                return number
            }
            let failure = #expect(throws: OpenFailure.self) { try DatabaseCheck(path: path, repairing: false) }
            #expect(failure?.isDamage == true)
            let words = "the name or the schema of row \(number) of the table class cannot be read"
            #expect(failure?.message == "cannot be opened (\(words))")
        }
    }

    @Test("a database without a table of lcfile is damaged, and not one of an earlier version")
    func noTables() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
            try queue.close()
            let checking = #expect(throws: OpenFailure.self) { try DatabaseCheck(path: path, repairing: false) }
            let copying = #expect(throws: OpenFailure.self) { try DatabaseCopy(of: path, at: "\(folder)/copy") }
            for failure in [checking, copying] {
                #expect(failure?.message == "is damaged: it has no table of lcfile")
                #expect(failure?.isDamage == true)
            }
        }
    }

    private func fill(_ path: String) async throws {
        let database = try SQLiteDatabase(path: path)
        let records = try (0..<300).map { try Samples.record("\($0).jpg") }
        try await FileRecords(SQLiteObjectStore(database)).insert(records)
        try database.close()
    }
}
