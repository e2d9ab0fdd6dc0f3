internal import FoundationEssentials
internal import Glibc

/// Where temporary files are.
///
/// In a container with a read-only root, the storage folder can be the only one that can be written.
package enum TemporaryFolder {
    /// The name of the folder in the storage folder; no id of an app has a dot.
    package static let name = ".temporary"

    /// The folders of the system for temporary files; `/tmp` is the last resort, because it is often in memory.
    struct System {
        var large = "/var/tmp"
        var small = "/tmp"
    }

    /// The folder for temporary files of a command: `TMPDIR`, otherwise the first of `/var/tmp`, the one in the storage
    /// folder, and `/tmp` that can be written; for root without the one in a storage folder that others can change.
    ///
    /// - Parameter storage: The storage folder; `nil` if there is none.
    /// - Returns: Its path.
    /// - Throws: ``ExitError`` if none can be written.
    package static func path(besides storage: String?) throws -> String {
        try path(besides: storage, in: ProcessInfo.processInfo.environment, System())
    }

    static func path(
        besides storage: String?,
        in environment: [String: String],
        _ system: System
    ) throws -> String {
        // The operator's choice is not replaced: the others can lack the space.
        if let chosen = environment["TMPDIR"], !chosen.isEmpty { return chosen }
        if isWritable(system.large) { return system.large }
        if let storage, let folder = make(in: storage) { return folder }
        if isWritable(system.small) { return system.small }
        throw ExitError.storage(
            "no folder for temporary files can be written, neither \(system.large) nor \(system.small): set TMPDIR to "
                + "one with space for a copy of the largest database"
        )
    }

    /// Whether a folder exists and files can be created in it.
    package static func isWritable(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && access(folder, W_OK | X_OK) == 0
    }

    /// Creates the folder in a storage folder if it does not exist.
    ///
    /// - Parameters:
    ///   - storage: The storage folder.
    ///   - user: The user of this process.
    /// - Returns: Its path; `nil` if it cannot be written, or if it is not safe for root.
    static func make(in storage: String, as user: uid_t = geteuid()) -> String? {
        guard isSafe(storage, for: user) else { return nil }
        let folder = "\(StorageContents.trimmed(storage))/\(name)"
        mkdir(folder, 0o700)
        return isWritable(folder) ? folder : nil
    }

    /// Whether a user can use names in a storage folder that others can replace by links.
    ///
    /// Root would write and remove files behind them which the others cannot reach.
    package static func isSafe(_ storage: String, for user: UInt32) -> Bool {
        var status = stat()
        return user != 0
            || stat(storage, &status) == 0 && status.st_uid == 0 && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }
}

extension StorageFolder {
    /// Creates the folder for temporary files if it does not exist, and removes what killed processes left in it.
    ///
    /// Folders that a command beside the server uses stay (``ScratchFolder``).
    ///
    /// - Returns: Its path; `nil` if it cannot be written, or if it is not safe for root.
    package func temporaryFolder() -> String? {
        guard let folder = TemporaryFolder.make(in: path) else { return nil }
        // A link leads to files of others.
        guard StorageContents.isFolder(folder) else { return folder }
        ScratchFolder.removeLeft(in: folder)
        // It fails for folders.
        for name in (try? StorageContents.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
        return folder
    }
}
