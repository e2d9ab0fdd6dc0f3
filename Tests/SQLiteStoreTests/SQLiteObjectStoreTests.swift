import Domain
import GRDB
import Support
import Testing

@testable import SQLiteStore

@Suite struct SQLiteObjectStoreTests {
    private func withStore(_ body: (SQLiteObjectStore) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            try await body(SQLiteObjectStore(database))
            try database.close()
        }
    }

    @Test("objects in SQLite keep the contract", arguments: ObjectStoreContract.rules + ReadersContract.rules)
    func contract(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test("file records in SQLite keep the contract", arguments: FileRecordsContract.rules)
    func files(rule: ContractRule<any ObjectStore>) async throws {
        try await withStore { try await rule.check($0) }
    }

    @Test("conditions as SQL match by the table of cases", arguments: QueryCase.all)
    func queries(table: QueryCase) async throws {
        try await withStore { try await table.check($0) }
    }
}
