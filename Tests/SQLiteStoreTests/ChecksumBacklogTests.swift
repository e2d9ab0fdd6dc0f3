import Domain
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// Databases of versions without checksums.
@Suite struct ChecksumBacklogTests {
    private func rowsWithout(_ database: SQLiteDatabase) async throws -> Int {
        try await database.pool.read { db in
            try Int64.fetchAll(db, sql: "SELECT number FROM class").reduce(0) { sum, number in
                sum + (try Int.fetchOne(db, sql: "SELECT count(*) FROM class_\(number) WHERE checksum IS NULL") ?? 0)
            }
        }
    }

    @Test("rows of an earlier version get checksums in steps, and none of them counts as damaged before")
    func steps() async throws {
        try await Fixture(version: 4).withDatabase { database, _ in
            let all = try await database.inspectAll().count
            #expect(try await rowsWithout(database) == all)
            var steps = 0
            while try await database.fillChecksums(limit: 1) == false {
                steps += 1
                #expect(try await database.inspectAll().damaged == [])
            }
            #expect(steps >= all)
            #expect(try await rowsWithout(database) == 0)
            #expect(try await database.inspectAll().damaged == [])
        }
    }

    @Test("a row that is written before its turn has its checksum at once, and a start goes on where the last ended")
    func restart() async throws {
        try await Fixture(version: 4).withFile { path in
            let database = try SQLiteDatabase(path: path)
            let store = SQLiteObjectStore(database)
            let before = try await rowsWithout(database)
            try await store.write { writer in
                let file = try #require(try writer.find(ObjectQuery(.file, page: .first)).first)
                try writer.update(file, in: .file)
            }
            #expect(try await rowsWithout(database) == before - 1)
            _ = try await database.fillChecksums(limit: 1000)
            let rest = try await rowsWithout(database)
            try database.close()
            let second = try SQLiteDatabase(path: path)
            #expect(try await rowsWithout(second) == rest)
            while try await second.fillChecksums(limit: 1000) == false {}
            #expect(try await rowsWithout(second) == 0)
            try second.close()
        }
    }

    @Test("a scan along a time that damage has moved out of all years is refused where it would go on for ever")
    func damagedTime() async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let store = SQLiteObjectStore(database)
            let (task, ids) = (try ClassName("Task"), ObjectIDGenerator())
            let objects = (1...3).map { number in
                let time = Timestamp(milliseconds: Int64(number))
                return StoredObject(id: ids.next(), createdAt: time, updatedAt: time, fields: [:])
            }
            try await store.write { writer in
                try writer.save(ClassSchema(name: task))
                for object in objects { try writer.insert(object, into: task) }
            }
            let number = try #require(database.catalog.current.entries[task]?.number)
            try await database.pool.write { db in
                try db.execute(
                    sql: "UPDATE class_\(number) SET checksum = NULL, created_at = -130000000000000 WHERE id = ?",
                    arguments: [objects[0].id.description]
                )
            }
            let settings = ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
            )
            let service = ObjectService(store: store, settings: settings)
            let master = Caller(app: try Samples.guest().app, isMaster: true)
            func scan(after cursor: String?) async throws -> ScanPage {
                let key = SortKey(FieldPath(field: "createdAt"), descending: true)
                let scan = try Scan(of: task, where: .always, key: key, page: Page(first: 1), cursor: cursor)
                return try await service.scan(scan, of: task, view: .plain, as: master)
            }
            var cursor: String?
            for _ in objects {
                let page = try await scan(after: cursor)
                #expect(page.objects.count == 1)
                #expect(page.cursor != nil)
                cursor = page.cursor
            }
            let last = cursor
            await expectFailure(.badRequest) { try await scan(after: last) }
            try database.close()
        }
    }

    @Test("a row that lost its checksum counts as damaged once its class is done")
    func lost() async throws {
        try await Fixture(version: 4).withDatabase { database, _ in
            while try await database.fillChecksums(limit: 1000) == false {}
            try await database.pool.write { try $0.execute(sql: "UPDATE class_1 SET checksum = NULL WHERE number = 1") }
            #expect(try await database.inspectAll().damaged.map(\.damage) == ["has no checksum"])
        }
    }

    @Test("a copy of a database of an earlier version has all checksums")
    func copy() async throws {
        try await Fixture(version: 4).withFile { path in
            let copy = try DatabaseCopy(of: path, at: "\(path).copy")
            try copy.close()
            let copied = try SQLiteDatabase(path: "\(path).copy")
            #expect(try await rowsWithout(copied) == 0)
            try copied.close()
        }
    }
}
