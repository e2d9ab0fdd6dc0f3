import Dispatch
import Domain
import Foundation
import GRDB
import Support
import Synchronization
import Testing

@testable import SQLiteStore

/// A storage that is full from the first suspicion on.
private final class FullWhenSuspected: StorageInspector {
    let isFull = Mutex(false)

    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        isFull.withLock { isFull in
            if suspicion == .full { isFull = true }
            var condition = StorageCondition()
            condition.refusesGrowth = isFull
            if isFull { condition.faults = [.full] }
            return condition
        }
    }
}

@Suite struct SQLiteFailureTests {
    @Test(
        "each error of SQLite that the storage causes means something to a client",
        arguments: [
            (.SQLITE_FULL, .storageFull), (.SQLITE_READONLY, .storageReadOnly),
            (.SQLITE_READONLY_DBMOVED, .storageReadOnly), (.SQLITE_READONLY_DIRECTORY, .storageReadOnly),
            (.SQLITE_IOERR, .storageFailing), (.SQLITE_IOERR_READ, .storageFailing),
            (.SQLITE_IOERR_WRITE, .storageFailing), (.SQLITE_IOERR_FSYNC, .storageFailing),
            (.SQLITE_IOERR_SHMSIZE, .storageFailing), (.SQLITE_CANTOPEN, .storageFailing),
            (.SQLITE_CORRUPT, .storageDamaged), (.SQLITE_CORRUPT_INDEX, .storageDamaged),
            (.SQLITE_NOTADB, .storageDamaged), (.SQLITE_TOOBIG, .badRequest),
            (.SQLITE_NOMEM, .overloaded), (.SQLITE_IOERR_NOMEM, .overloaded), (.SQLITE_BUSY, nil), (.SQLITE_ERROR, nil),
        ] as [(ResultCode, ServiceError.Code?)]
    )
    func table(code: ResultCode, expected: ServiceError.Code?) {
        let error = SQLiteFailure.translated(DatabaseError(resultCode: code, message: "private words"))
        #expect((error as? ServiceError)?.code == expected)
        if expected == nil { #expect(error is DatabaseError) }
        #expect((error as? ServiceError)?.message.contains("private words") != true)
    }

    private func withDatabase(
        _ health: StorageHealth,
        _ body: (SQLiteDatabase, String) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path, health: health)
            try await body(database, path)
            try database.close()
        }
    }

    /// From now on the database's file cannot grow.
    private func fill(_ database: SQLiteDatabase) async throws {
        try await database.pool.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
    }

    @Test("a full disk refuses the writer that adds, and the deletes that shared its transaction are done")
    func fullDisk() async throws {
        let health = StorageHealth(inspector: FullWhenSuspected())
        try await withDatabase(health) { database, _ in
            let store = SQLiteObjectStore(database)
            let records = try (0..<10).map { try Samples.record("\($0).jpg") }
            try await FileRecords(store).insert(records)
            let album = try ClassName("Album")
            try await store.write { try $0.save(ClassSchema(name: album)) }
            try await fill(database)
            let log = ChangeLog(of: store)
            let hold = DispatchSemaphore(value: 0)
            database.pool.asyncWriteWithoutTransaction { _ in hold.wait() }
            let large = StoredObject.sample(["s": .string(String(repeating: "x", count: 1 << 20))])
            let growth = Task { try await store.write { try $0.insert(large, into: album) } }
            while database.writes.waitingCount < 1 { await Task.yield() }
            let deletes = records.map { record in Task { try await store.write { try $0.delete(record.id, in: .file) } }
            }
            while database.writes.waitingCount < 11 { await Task.yield() }
            hold.signal()
            let error = await #expect(throws: ServiceError.self) { try await growth.value }
            #expect(error?.code == .storageFull)
            for delete in deletes { #expect(try await delete.value) }
            #expect(try await store.read { try $0.count(.always, in: .file) } == 0)
            // Of the transaction that was taken back nothing is published, of its repetition each delete once.
            #expect(log.lines.sorted() == records.map { "deleted \($0.id)" }.sorted())
        }
    }

    @Test("a body that catches the error of a full disk runs again from its beginning")
    func caughtFullDisk() async throws {
        let health = StorageHealth(inspector: FullWhenSuspected())
        try await withDatabase(health) { database, _ in
            let store = SQLiteObjectStore(database)
            let record = try Samples.record()
            try await FileRecords(store).insert([record])
            try await fill(database)
            let log = ChangeLog(of: store)
            let large = StoredObject.sample(["s": .string(String(repeating: "x", count: 1 << 20))])
            let (code, wasThere) = try await store.write { writer in
                let growth = Result { try writer.attempt { try writer.insert(large, into: .identity) } }
                // The first run comes here as well, after SQLite has taken its transaction back.
                let wasThere = try writer.attempt { try writer.delete(record.id, in: .file) }
                return (growth.error?.code, wasThere)
            }
            #expect(code == .storageFull)
            #expect(wasThere)
            #expect(log.lines == ["deleted \(record.id)"])
        }
    }

    @Test("while the storage is full sessions begin and end, usage is counted, and nothing else is added")
    func gate() async throws {
        let health = StorageHealth(inspector: FullWhenSuspected())
        try await withDatabase(health) { database, _ in
            let store = SQLiteObjectStore(database)
            let album = try ClassName("Album")
            let object = StoredObject.sample()
            try await store.write { try $0.save(ClassSchema(name: album)) }
            try await store.write { try $0.insert(object, into: album) }
            _ = health.reported(StorageFault.full.error())
            let refused: [@Sendable (any WriteTransaction) throws -> Void] = [
                { try $0.insert(.sample(), into: album) }, { try $0.update(object.with("n", 1), in: album) },
                { try $0.save(ClassSchema(name: ClassName("Other"))) }, { _ = try $0.nextNumber(of: "n", in: album) },
                { try $0.relate(Pointer(album, object.id), "r", to: [object.id]) },
            ]
            for body in refused {
                let error = await #expect(throws: ServiceError.self) { try await store.write(body) }
                #expect(error?.code == .storageFull)
            }
            for name in [ClassName.session, .consoleSession] {
                let session = StoredObject.sample()
                try await store.write { try $0.insert(session, into: name) }
                #expect(try await store.write { try $0.delete(session.id, in: name) })
            }
            try await store.write { try $0.update(object, in: album) }
            #expect(try await store.write { try $0.delete(object.id, in: album) })
        }
    }

    @Test("a damaged page is an error of the storage, reported, and what lies elsewhere is served")
    func damagedPage() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let first = try SQLiteDatabase(path: path)
            try await FileRecords(SQLiteObjectStore(first)).insert(
                try (0..<500).map { try Samples.record("\($0).jpg") }
            )
            try first.close()
            try Damage.spoilTable(of: .file, in: path)

            let health = StorageHealth()
            let store = SQLiteObjectStore(try SQLiteDatabase(path: path, health: health))
            let all = ObjectQuery(.file, page: .all)
            let error = await #expect(throws: ServiceError.self) { try await store.read { try $0.rows(all).count } }
            #expect(error?.code == .storageDamaged)
            #expect(health.faults == [.damaged])
            #expect(try await store.read { try $0.count(.always, in: .session) } == 0)
        }
    }

    @Test("no change is acknowledged while the file is not at its path, and changes are when it is back")
    func displacedFile() async throws {
        let health = StorageHealth()
        try await withDatabase(health) { database, path in
            let store = SQLiteObjectStore(database)
            try await store.write { try $0.insert(.sample(), into: .session) }
            #expect(database.displacement == nil)
            let aside = path + ".aside"
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            for isReplaced in [false, true] {
                if isReplaced { try FileManager.default.copyItem(atPath: aside, toPath: path) }
                #expect(database.displacement == .database(path))
                let error = await #expect(throws: ServiceError.self) {
                    try await store.write { try $0.insert(.sample(), into: .session) }
                }
                #expect(error?.code == .storageReadOnly)
                #expect(error?.cause is StorageDisplacement)
            }
            #expect(health.faults == [.failing])
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            #expect(database.displacement == nil)
            try await store.write { try $0.insert(.sample(), into: .session) }
            #expect(try await store.read { try $0.count(.always, in: .session) } == 2)
        }
    }

    @Test("a reader that is opened later does not read a file that replaced the database")
    func displacedReaders() async throws {
        let reported = Counter()
        let health = StorageHealth { fault in if fault == .failing { _ = reported.next() } }
        try await withDatabase(health) { database, path in
            let store = SQLiteObjectStore(database)
            try await store.write { try $0.insert(.sample(), into: .session) }
            let aside = path + ".aside"
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            // The open reader has the original.
            #expect(try await store.read { try $0.count(.always, in: .session) } == 1)
            for isReplaced in [false, true] {
                if isReplaced { try FileManager.default.copyItem(atPath: aside, toPath: path) }
                // Closes the readers.
                database.pool.releaseMemory()
                let before = reported.value
                let error = await #expect(throws: ServiceError.self) {
                    try await store.read { try $0.count(.always, in: .session) }
                }
                #expect(error?.code == .storageReadOnly)
                #expect(error?.cause as? StorageDisplacement == .database(path))
                #expect(reported.value == before + 1)
            }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            #expect(try await store.read { try $0.count(.always, in: .session) } == 1)
            try await store.write { try $0.insert(.sample(), into: .session) }
            #expect(try await store.read { try $0.count(.always, in: .session) } == 2)
        }
    }

    @Test("a connection that may not write is a read-only storage")
    func readOnly() async throws {
        try await withDatabase(StorageHealth()) { database, _ in
            try await database.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
            let store = SQLiteObjectStore(database)
            let error = await #expect(throws: ServiceError.self) {
                try await store.write { try $0.insert(.sample(), into: .session) }
            }
            #expect(error?.code == .storageReadOnly)
            #expect(try await store.read { try $0.count(.always, in: .session) } == 0)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate var error: ServiceError? {
        guard case .failure(let error) = self else { return nil }
        return error as? ServiceError
    }
}

extension StoredObject {
    fileprivate func with(_ field: String, _ value: Int64) -> StoredObject {
        var changed = self
        changed.fields[field] = .integer(value)
        return changed
    }

    static func sample(_ fields: [String: JSONValue] = [:]) -> StoredObject {
        let now = Timestamp.now()
        return StoredObject(id: ObjectIDGenerator().next(), createdAt: now, updatedAt: now, fields: fields)
    }
}
