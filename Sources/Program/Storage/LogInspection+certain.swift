package import Domain
internal import Glibc

extension LogInspection {
    /// Looks at the write-ahead log of an app in a storage folder that a server can use.
    ///
    /// Between the reads of the mark and of the log a server can begin the log anew, which looks like damage. So damage is
    /// looked at again under the lock of the storage folder, and is ignored while a server holds that lock. Without
    /// damage the lock is not touched: a start meanwhile would be refused.
    ///
    /// - Parameter folder: The app's folder in the storage folder; nothing in it is changed.
    /// - Returns: The damage; `nil` if there is none, or if a server runs.
    /// - Throws: ``OpenFailure`` if a file cannot be read.
    package func certainLogDamage(in folder: String) throws(OpenFailure) -> DamagedLog? {
        guard try logDamage(in: folder) != nil else { return nil }
        let lock = FileBytes.open("\(StorageContents.parent(of: folder))/\(StorageFolder.lockName)", O_RDONLY)
        // The copy of a storage folder can lack the file.
        guard lock >= 0 else { return try logDamage(in: folder) }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return nil }
        return try logDamage(in: folder)
    }
}
