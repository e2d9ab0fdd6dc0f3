package import Domain
internal import Glibc

/// The storage folder of a server, locked for this process.
///
/// Databases and staging belong to one server; a second one on the same folder would remove uploads that are on their
/// way. The lock is the kernel's and goes with the process, however it ends.
package struct StorageFolder: ~Copyable {
    /// The folder's path.
    package let path: String
    private let lock: CInt

    /// The file that the lock is on.
    static let lockName = ".lock"
    /// The folder in it that a restore copies to; what lies beside it is not whole.
    static let restoreDraft = "restore.partial"

    /// Makes the folder if there is none, checks that it can be written, and locks it.
    ///
    /// - Throws: ``ExitError`` saying what is wrong with it.
    package init(path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw ExitError.storage("the storage folder \(path) cannot be created: \(StorageFolder.systemError())")
        }
        let lock = Glibc.open("\(path)/\(StorageFolder.lockName)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw ExitError.storage("the storage folder \(path) cannot be written: \(StorageFolder.systemError())")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw ExitError.storage("the storage folder \(path) is in use by another lcfile server")
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        close(lock)
    }

    /// Throws if a restore into the folder was cut off.
    package func refuseUnfinishedRestore() throws {
        guard access("\(path)/\(StorageFolder.restoreDraft)", F_OK) != 0 else {
            throw ExitError.storage(
                "the storage folder \(path) contains an interrupted restore (\(StorageFolder.restoreDraft)); restore again"
            )
        }
    }

    /// The folder of an app, made if there is none.
    package func folder(of app: AppID) throws -> String {
        let folder = "\(path)/\(app)"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw ExitError.storage("the folder \(folder) cannot be created: \(StorageFolder.systemError())")
        }
        try synchronize()
        return folder
    }

    /// Opens a file of the server's own in the folder, made if there is none; the caller closes it.
    func open(_ name: String) throws -> CInt {
        let file = Glibc.open("\(path)/\(name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw ExitError.storage("\(path)/\(name) cannot be opened: \(StorageFolder.systemError())")
        }
        return file
    }

    /// Returns when the folder's names are on the disk.
    package func synchronize() throws {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else {
            throw ExitError.storage("the storage folder \(path) cannot be synced: \(StorageFolder.systemError())")
        }
    }

    /// What the last system call of this thread that failed says.
    package static func systemError() -> String {
        String(cString: strerror(errno))
    }
}
