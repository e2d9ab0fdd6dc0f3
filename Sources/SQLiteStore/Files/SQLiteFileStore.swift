package import Domain
internal import GRDB

/// File records in the table `file`.
package struct SQLiteFileStore: FileStore {
    private let pool: DatabasePool

    /// Keeps records in a database that is open.
    package init(_ database: SQLiteDatabase) {
        pool = database.pool
    }

    package func insert(_ records: [FileRecord]) async throws {
        let rows = records.map(FileRow.init)
        try await storing {
            try await pool.write { db in
                for row in rows { try row.insert(db) }
            }
        }
    }

    package func file(id: ObjectID) async throws -> FileRecord? {
        try await pool.read { db in
            try FileRow.find(db, "id", id.description)
        }?.record()
    }

    package func file(key: FileKey) async throws -> FileRecord? {
        try await pool.read { db in
            try FileRow.find(db, "key", key.description)
        }?.record()
    }

    package func delete(id: ObjectID) async throws -> FileRecord? {
        try await storing {
            try await pool.write { db in
                let row = try FileRow.find(db, "id", id.description)
                try row?.delete(db)
                return row
            }
        }?.record()
    }

    package func newest(limit: Int, skip: Int) async throws -> [FileRecord] {
        try await pool.read { db in
            try FileRow.order { [$0.createdAt.desc, $0.id.desc] }.limit(limit, offset: skip).fetchAll(db)
        }.map { try $0.record() }
    }

    package func count() async throws -> Int {
        try await pool.read(FileRow.fetchCount)
    }

    /// Tells a full disk from other failures of a write.
    private func storing<Result>(_ write: () async throws -> Result) async throws -> Result {
        do {
            return try await write()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw ServiceError(.storageFull, "The server's storage is full.", cause: error)
        }
    }
}
