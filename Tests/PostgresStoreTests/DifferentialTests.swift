import Domain
import SQLiteStore
import Support
import Testing

@testable import PostgresStore

/// The same random histories and queries on the memory store, on SQLite and on PostgreSQL.
@Suite struct DifferentialTests {
    @Test("the three stores find the same objects in the same order after the same changes", arguments: 1...4)
    func histories(seed: UInt64) async throws {
        try await run(try History(seed: seed))
    }

    @Test("the three stores find strings with U+0000 alike", arguments: 1...2)
    func zeros(seed: UInt64) async throws {
        try await run(try History(seed: seed, texts: ["\0", "a\0", "a\0b", "\0b"]))
    }

    private func run(_ history: History) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            try await Engine.withStore { postgres in
                let stores: [any ObjectStore] = [
                    MemoryObjectStore(rehearsing: false), SQLiteObjectStore(database), postgres,
                ]
                var history = history
                try await history.run(on: stores)
            }
            try database.close()
        }
    }
}
