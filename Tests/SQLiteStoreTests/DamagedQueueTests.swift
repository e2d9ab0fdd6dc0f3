import Domain
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// What the workers of queues do about a row that a disk changed.
@Suite struct DamagedQueueTests {
    @Test("a damaged row of the deletion queue stays, and the bytes of the other files are removed")
    func deletions() async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let store = SQLiteObjectStore(database)
            let blobs = MemoryBlobStore()
            for name in ["first", "second", "third"] {
                let key = try #require(FileKey(name))
                _ = try await blobs.store("abc", as: key)
                let row = StoredObject.sample(["key": .string(name)])
                try await store.write { try $0.insert(row, into: .deletion) }
            }
            try await database.pool.write { db in
                let number = try #require(try Catalog(db).entries[.deletion]?.number)
                let table = ClassTable(number: number).name
                try db.execute(sql: "UPDATE \(table) SET checksum = checksum + 1 WHERE number = 1")
            }
            let app = try #require(AppID("app"))
            let files = FileService(files: FileRecords(store), blobs: blobs)
            let worker = FileDeletions(app: app, store: store, blobs: blobs, files: files)
            let isEmpty = await worker.drain()
            #expect(isEmpty)
            #expect(blobs.count == 1)
            #expect(try await store.read { try $0.count(.always, in: .deletion) } == 1)
            try database.close()
        }
    }
}
