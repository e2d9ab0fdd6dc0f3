package import Domain
internal import Glibc

/// The storage folder of a server, locked for this process.
///
/// Databases and staging belong to one server; a second one on the same folder would remove running uploads. The lock
/// is the kernel's and ends with the process, also after a crash.
package struct StorageFolder: ~Copyable {
    /// The folder's path.
    package let path: String
    private let lock: CInt

    /// The name of the file that is locked.
    static let lockName = ".lock"
    /// The name of the folder in it to which a restore copies; while it exists, the other contents are incomplete.
    static let restoreDraft = "restore.partial"

    /// Creates the folder if it does not exist, checks that it is writable, and locks it.
    ///
    /// - Throws: ``ExitError`` with the reason.
    package init(path: String) throws {
        let isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else {
            throw ExitError.storage("the storage folder \(path) cannot be created: \(StorageFolder.systemError())")
        }
        try StorageFolder.synchronizeName(of: path, isNew: isNew)
        let lock = FileBytes.open("\(path)/\(StorageFolder.lockName)", O_RDWR | O_CREAT)
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

    /// The file that is locked.
    var lockedFile: (device: UInt, inode: UInt)? {
        var status = stat()
        guard fstat(lock, &status) == 0 else { return nil }
        return (UInt(status.st_dev), UInt(status.st_ino))
    }

    /// Locks a folder that exists, for a command while no server runs.
    ///
    /// - Parameter path: The folder's path.
    /// - Returns: The locked folder.
    /// - Throws: ``ExitError`` with the reason, also after an interrupted restore.
    package static func locking(existing path: String) throws -> StorageFolder {
        let path = StorageContents.trimmed(path)
        guard StorageContents.exists(path) else {
            throw ExitError.storage("the storage folder \(path) does not exist")
        }
        let folder = try StorageFolder(path: path)
        try folder.refuseUnfinishedRestore()
        return folder
    }

    /// The apps that have a database, in order.
    ///
    /// - Parameter name: The name of the file of a database.
    /// - Returns: At least one.
    /// - Throws: ``ExitError`` if there is none, if the database of one is gone or empty, or if the folder cannot be
    ///   read.
    package func apps(withDatabase name: String) throws -> [AppID] {
        try StorageFolder.apps(in: path, withDatabase: name)
    }

    /// The apps of a folder that a server can use, in order.
    ///
    /// - Parameters:
    ///   - path: The folder's path.
    ///   - name: The name of the file of a database.
    /// - Returns: At least one.
    /// - Throws: ``ExitError`` if there is none, if the database of one is gone or empty, or if the folder cannot be
    ///   read.
    package static func apps(in path: String, withDatabase name: String) throws -> [AppID] {
        guard StorageContents.exists(path) else {
            throw ExitError.storage("the storage folder \(path) does not exist")
        }
        // A caller that passed over it would say that all apps are done.
        if let app = try StorageContents.appsWithoutDatabase(in: path, named: name).first {
            throw ExitError.storage("the database \(path)/\(app)/\(name) \(StorageContents.lostDatabaseAdvice)")
        }
        let apps = try StorageContents.names(in: path).sorted().compactMap { app in
            try StorageContents.hasDatabase(in: "\(path)/\(app)", named: name) ? AppID(app) : nil
        }
        guard !apps.isEmpty else { throw ExitError.storage("the storage folder \(path) contains no app") }
        return apps
    }

    /// Throws if a restore into the folder was interrupted.
    package func refuseUnfinishedRestore() throws {
        try StorageFolder.refuseUnfinishedRestore(in: path)
    }

    /// Throws if a restore into a folder was interrupted; for a command beside a server.
    package static func refuseUnfinishedRestore(in path: String) throws {
        guard access("\(path)/\(StorageFolder.restoreDraft)", F_OK) != 0 else {
            throw ExitError.storage(
                "the storage folder \(path) contains an interrupted restore (\(StorageFolder.restoreDraft)); restore again"
            )
        }
    }

    /// Throws if the database of an app is gone or empty although an earlier start opened it: a start would create an
    /// empty one, and the next backups would have no objects and no files.
    ///
    /// What a first start leaves that was killed before it opened the database is not refused.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - name: The name of the file of a database.
    /// - Throws: ``ExitError``.
    package static func refuseLostDatabase(in folder: String, named name: String) throws {
        guard try StorageContents.hasUsedDatabaseLost(in: folder, named: name) else { return }
        throw ExitError.storage(
            "the database \(folder)/\(name) is missing or empty, and an earlier start used it; restore a backup, or move "
                + "\(folder) to another folder to begin with an empty app"
        )
    }

    /// The folder of an app; creates it if it does not exist.
    package func folder(of app: AppID) throws -> String {
        let folder = "\(path)/\(app)"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw ExitError.storage("the folder \(folder) cannot be created: \(StorageFolder.systemError())")
        }
        try synchronize()
        return folder
    }

    /// Opens or creates one of the server's own files in the folder; the caller closes it.
    func open(_ name: String) throws -> CInt {
        let file = FileBytes.open("\(path)/\(name)", O_RDWR | O_CREAT | O_NOFOLLOW)
        guard file >= 0 else {
            throw ExitError.storage("\(path)/\(name) cannot be opened: \(StorageFolder.systemError())")
        }
        return file
    }

    /// Syncs a storage folder's own name to the disk; without it a power cut can take all of the storage.
    ///
    /// An earlier start may have ended between making the folder and this, so each start does it. The folder above may
    /// not be readable; then only a folder that was there is accepted, whose name is its owner's matter.
    private static func synchronizeName(of path: String, isNew: Bool) throws {
        let above = FileBytes.open("\(path)/..", O_RDONLY | O_DIRECTORY)
        defer { close(above) }
        let isSynced = above >= 0 && fsync(above) == 0
        guard isSynced || !isNew else {
            throw ExitError.storage("the folder above \(path) cannot be synced: \(StorageFolder.systemError())")
        }
    }

    /// Syncs the folder's names to the disk.
    package func synchronize() throws {
        let folder = FileBytes.open(path, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else {
            throw ExitError.storage("the storage folder \(path) cannot be synced: \(StorageFolder.systemError())")
        }
    }

    /// The system's message for the last failed system call of this thread.
    package static func systemError() -> String {
        String(cString: strerror(errno))
    }
}
