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
