internal import Domain
internal import Glibc

/// A folder for temporary files, until ``remove()``.
///
/// It needs space for a copy of the largest database and for lists of its files.
package struct ScratchFolder: Sendable {
    /// The folder's path.
    package let path: String
    private let lock: CInt

    private static let beginning = "lcfile-scratch-"
    private static let lockName = ".scratch"

    /// Creates the folder where temporary files are (``TemporaryFolder``).
    ///
    /// - Parameter storage: The storage folder; `nil` if there is none.
    /// - Throws: ``ExitError`` if it cannot be created.
    package init(besides storage: String?) throws {
        try self.init(in: TemporaryFolder.path(besides: storage))
    }

    /// Creates the folder where temporary files are, for an app's folder in a storage folder.
    package init(forApp folder: String) throws {
        try self.init(besides: StorageContents.parent(of: StorageContents.trimmed(folder)))
    }

    /// Creates the folder, and removes those that killed processes of this user left.
    ///
    /// - Parameter parent: The folder in which it is.
    /// - Throws: ``ExitError`` if it cannot be created.
    init(in parent: String) throws {
        ScratchFolder.removeLeft(in: parent)
        for _ in 0..<ScratchFolder.attempts {
            let path = "\(StorageContents.trimmed(parent))/\(ScratchFolder.beginning)\(RandomString.lowercase(16))"
            if let lock = try ScratchFolder.make(path) {
                (self.path, self.lock) = (path, lock)
                return
            }
        }
        throw ExitError.storage("no folder in \(parent) can be locked: \(StorageFolder.systemError())")
    }

    private static let attempts = 10

    /// Creates and locks a folder; `nil` if another process took it for a left one before it was locked.
    private static func make(_ path: String) throws -> CInt? {
        try StorageContents.makeFolder(path)
        let name = "\(path)/\(lockName)"
        let lock = FileBytes.open(name, O_RDWR | O_CREAT | O_EXCL)
        guard lock >= 0 else {
            throw ExitError.storage("the folder \(path) cannot be written: \(StorageFolder.systemError())")
        }
        var (own, named) = (stat(), stat())
        let isLocked = flock(lock, LOCK_EX | LOCK_NB) == 0
        if isLocked, fstat(lock, &own) == 0, stat(name, &named) == 0, own.st_ino == named.st_ino { return lock }
        close(lock)
        return nil
    }

    /// Removes the folder with its files, as far as possible; to be called once.
    package func remove() {
        try? StorageContents.removeFolder(path)
        close(lock)
    }

    /// Creates a folder in it.
    func folder(_ name: String) throws -> String {
        try StorageContents.makeFolder("\(path)/\(name)")
        return "\(path)/\(name)"
    }

    /// Removes the folders that killed processes of this user left in a folder.
    static func removeLeft(in parent: String) {
        for name in (try? StorageContents.names(in: parent)) ?? [] where name.hasPrefix(beginning) {
            let folder = "\(parent)/\(name)"
            var status = stat()
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
                continue
            }
            let lock = FileBytes.open("\(folder)/\(lockName)", O_RDWR | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            // The kernel ends the lock of a process that ended.
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? StorageContents.removeFolder(folder, last: lockName) }
            close(lock)
        }
    }
}
