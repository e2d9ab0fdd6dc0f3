package import Domain
internal import Synchronization

/// File records in memory, for tests of what stands on a ``FileStore``.
package final class MemoryFileStore: FileStore {
    private let records = Mutex<[FileRecord]>([])
    private let failure: (any Error)?

    /// - Parameter failure: What every insert throws, to test what happens then.
    package init(failingInsertsWith failure: (any Error)? = nil) {
        self.failure = failure
    }

    package func insert(_ new: [FileRecord]) async throws {
        if let failure { throw failure }
        try records.withLock { records in
            let all = records + new
            guard Set(all.map(\.id)).count == all.count, Set(all.map(\.key)).count == all.count else {
                throw ServiceError(.internalFailure, "An id or key is taken.")
            }
            records = all
        }
    }

    package func file(id: ObjectID) async throws -> FileRecord? {
        records.withLock { $0.first { $0.id == id } }
    }

    package func file(key: FileKey) async throws -> FileRecord? {
        records.withLock { $0.first { $0.key == key } }
    }

    package func delete(id: ObjectID) async throws -> FileRecord? {
        records.withLock { records in
            records.firstIndex { $0.id == id }.map { records.remove(at: $0) }
        }
    }

    package func newest(limit: Int, skip: Int) async throws -> [FileRecord] {
        records.withLock { records in
            Array(records.sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }.dropFirst(skip).prefix(limit))
        }
    }

    package func count() async throws -> Int {
        records.withLock { $0.count }
    }
}
