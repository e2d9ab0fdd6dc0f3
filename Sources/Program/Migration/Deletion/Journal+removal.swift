internal import GRDB
internal import Glibc

extension Journal {
    /// Removes the journal of a migration that is complete; the journal must not be open any more.
    package static func remove(at path: String) throws(MigrationError) {
        for suffix in ["-wal", "-shm", ""] {
            guard unlink(path + suffix) == 0 || errno == ENOENT else {
                throw MigrationError("\(path)\(suffix) cannot be removed: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Removes the journal of a migration that sent nothing, because another one with the same file would be refused.
    ///
    /// A journal that an earlier process left with items that it sent stays, so that the migration can go on.
    package func removeIfUnused() async throws {
        let isUsed = try await write { [pass] database in
            let sql = "SELECT EXISTS (SELECT 1 FROM item WHERE state IN (1, 3) OR state = 2 AND pass < ?)"
            return try Bool.fetchOne(database, sql: sql, arguments: [pass]) ?? false
        }
        if !isUsed { try Journal.remove(at: path) }
    }
}
