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
}
