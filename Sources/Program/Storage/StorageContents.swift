internal import Domain
internal import FoundationEssentials
internal import Glibc

/// File operations of backup and restore; every call blocks and throws an ``ExitError`` that names the failure.
enum StorageContents {
    static let generatedApp = "apps.yaml"
    /// What follows the name of a lost database in messages.
    static let lostDatabaseAdvice =
        "is missing or empty; restore a backup, or remove the folder of an app that has no data yet"

    /// The name of a damaged database in a backup.
    static func damagedName(of database: String) -> String {
        "\(database).damaged"
    }

    /// The ids of the apps in a storage folder or a backup, in order.
    static func apps(in folder: String, with engine: any BackupEngine) throws -> [String] {
        try names(in: folder)
            .filter { try AppID($0) != nil && hasDatabase(in: "\(folder)/\($0)", named: engine.databaseName) }
            .sorted()
    }

    /// Whether an app's folder has a database of SQLite, or says that PostgreSQL has it.
    ///
    /// A file of 0 bytes is no database: a server that ended during its first start leaves one, and so does a file system
    /// that lost the file's contents.
    static func hasDatabase(in folder: String, named database: String) throws -> Bool {
        try isWritten("\(folder)/\(database)") || isPresent("\(folder)/\(DatabaseMarker.name)")
    }

    /// What stands for an app's database in messages: the file of SQLite, or the one that says that PostgreSQL has it.
    static func databasePath(in folder: String, named database: String) -> String {
        let marker = "\(folder)/\(DatabaseMarker.name)"
        return exists(marker) ? marker : "\(folder)/\(database)"
    }

    /// The ids of the apps of a storage folder with a database, and of those whose database is gone or empty, in order.
    static func allApps(in folder: String, with engine: any BackupEngine) throws -> [String] {
        try (apps(in: folder, with: engine) + appsWithoutDatabase(in: folder, named: engine.databaseName)).sorted()
    }

    /// The ids of the apps in a storage folder whose database is gone or empty, in order.
    static func appsWithoutDatabase(in folder: String, named database: String) throws -> [String] {
        try names(in: folder).filter { name in
            try AppID(name) != nil && hasLostDatabase(in: "\(folder)/\(name)", named: database)
        }.sorted()
    }

    /// Whether an app's folder has a file of 0 bytes in the place of its database, or had a database and has none.
    ///
    /// A first start that was killed leaves such a file, too: it is not known what the file was.
    static func hasLostDatabase(in folder: String, named database: String) throws -> Bool {
        guard try !hasDatabase(in: folder, named: database) else { return false }
        return try isPresent("\(folder)/\(database)") || hadDatabase(in: folder, named: database)
    }

    /// Whether an app's folder has no database, and something that a start makes only after it has opened one.
    ///
    /// The file has pages before SQLite makes the log, the log has a commit before there is a mark of it, and the folder
    /// of the blobs and the marker of the bucket come after the migrations.
    static func hasUsedDatabaseLost(in folder: String, named database: String) throws -> Bool {
        try !hasDatabase(in: folder, named: database) && hadDatabase(in: folder, named: database)
    }

    private static func hadDatabase(in folder: String, named database: String) throws -> Bool {
        let suffix = ".sqlite"
        let name = database.hasSuffix(suffix) ? String(database.dropLast(suffix.count)) : database
        return try isPresent("\(folder)/\(BlobMarker.name)") || isPresent("\(folder)/blobs")
            || isPresent("\(folder)/\(database)-wal") || isWritten("\(folder)/\(name).commits")
    }

    /// The ids of the apps in a backup whose databases were damaged and have not been repaired.
    static func damagedApps(in folder: String, with engine: any BackupEngine) throws -> [String] {
        let database = engine.databaseName
        return try names(in: folder).filter { name in
            try isPresent("\(folder)/\(name)/\(damagedName(of: database))")
                && !isPresent("\(folder)/\(name)/\(database)")
        }.sorted()
    }

    /// All names in a folder.
    static func names(in folder: String) throws -> [String] {
        guard access(folder, R_OK | X_OK) == 0 else {
            throw ExitError.storage("the folder \(folder) cannot be read: \(StorageFolder.systemError())")
        }
        do {
            return try FolderNames.all(in: folder)
        } catch {
            throw ExitError.storage("the folder \(folder) cannot be read: \(error)")
        }
    }

    /// Whether a path exists; an error of the disk is no absence, so that a backup leaves out no app because of it.
    static func isPresent(_ path: String) throws -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw ExitError.storage("\(path) cannot be examined: \(StorageFolder.systemError())")
        }
        return false
    }

    /// Whether a path exists and has at least one byte; an error of the disk is no absence.
    private static func isWritten(_ path: String) throws -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return status.st_size > 0 }
        return try isPresent(path)
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether a path is a folder, and no link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The size of a file in bytes; 0 if there is none.
    static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 else {
            throw ExitError.storage("the folder \(path) cannot be created: \(StorageFolder.systemError())")
        }
    }

    static func rename(_ old: String, to new: String) throws {
        guard Glibc.rename(old, new) == 0 else {
            throw ExitError.storage("\(old) cannot be renamed to \(new): \(StorageFolder.systemError())")
        }
    }

    static func remove(_ path: String) throws {
        guard unlink(path) == 0 else {
            throw ExitError.storage("\(path) cannot be removed: \(StorageFolder.systemError())")
        }
    }

    /// Removes a folder and its contents, the named file last: after a crash, that file still identifies the folder.
    static func removeFolder(_ folder: String, last: String? = nil) throws {
        do {
            for name in try names(in: folder) where name != last {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
            try FileManager.default.removeItem(atPath: folder)
        } catch let error as ExitError {
            throw error
        } catch {
            throw ExitError.storage("\(folder), which is incomplete, cannot be removed; remove it manually")
        }
    }

    /// Copies the file of the generated app, if there is one, readable by its owner only; syncs its bytes to the disk.
    static func copyGeneratedApp(from source: String, to target: String) throws {
        guard try isPresent("\(source)/\(generatedApp)") else { return }
        try FileBytes.copy("\(source)/\(generatedApp)", to: "\(target)/\(generatedApp)")
    }

    /// Syncs a file's bytes, or a folder's names, to the disk.
    static func synchronize(_ path: String) throws {
        let file = FileBytes.open(path, O_RDONLY)
        defer { close(file) }
        guard file >= 0, fsync(file) == 0 else {
            throw ExitError.storage("\(path) cannot be synced: \(StorageFolder.systemError())")
        }
    }

    /// The path without slashes at its end, so that a suffix can be appended.
    static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// The folder of a path.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
