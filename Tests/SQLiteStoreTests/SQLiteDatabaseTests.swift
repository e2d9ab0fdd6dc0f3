import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

@Suite struct SQLiteDatabaseTests {
    @Test("records survive closing and opening")
    func survives() async throws {
        try await Samples.withFolder { folder in
            let record = try Samples.record()
            let first = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            try await FileRecords(SQLiteObjectStore(first)).insert([record])
            try first.close()
            let second = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            #expect(try await FileRecords(SQLiteObjectStore(second)).file(id: record.id) == record)
        }
    }

    @Test("every write is synced before it is answered")
    func synchronousFull() async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let (mode, level) = try await database.pool.write { db in
                (try String.fetchOne(db, sql: "PRAGMA journal_mode"), try Int.fetchOne(db, sql: "PRAGMA synchronous"))
            }
            #expect(mode == "wal")
            #expect(level == 2)
        }
    }

    @Test("a database of a newer version is refused with one message")
    func newerVersion() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            try await database.pool.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999 future')") }
            try database.close()
            let failure = #expect(throws: OpenFailure.self) { try SQLiteDatabase(path: path) }
            #expect(failure?.message.contains("newer version") == true)
        }
    }

    @Test("a file that is no database is refused with one message")
    func noDatabase() async throws {
        try await Samples.withFolder { folder in
            try String(repeating: "no database ", count: 100).write(
                toFile: "\(folder)/db.sqlite",
                atomically: true,
                encoding: .utf8
            )
            let failure = #expect(throws: OpenFailure.self) { try SQLiteDatabase(path: "\(folder)/db.sqlite") }
            #expect(failure?.message.contains("cannot be opened") == true)
        }
    }
}
