import GRDB
import Support
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite struct PassedRowsTests {
    @Test("a call passes over a damaged row that another call finds meanwhile")
    func twoCalls() async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite", health: StorageHealth())
            let store = SQLiteObjectStore(database)
            let records = [try Samples.record("first.jpg"), try Samples.record("second.jpg")]
            try await FileRecords(store).insert(records)
            try await database.pool.write { db in
                try db.execute(sql: "UPDATE class_1 SET updated_at = updated_at + 1 WHERE number = 1")
            }
            @Sendable func read(_ isIntact: Condition) async throws -> [ObjectID] {
                try await store.read { try $0.find(ObjectQuery(.file, where: isIntact, page: .all)).map(\.id) }
            }
            let passed = PassedRows(of: .file)
            let ids = try await passed.passing(in: store) { isIntact in
                do {
                    return try await read(isIntact)
                } catch {
                    _ = try await passed.passing(in: store, read)
                    throw error
                }
            }
            #expect(ids == [records[1].id])
            try database.close()
        }
    }
}
