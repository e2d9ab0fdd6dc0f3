internal import DiskBlobs
package import Domain
internal import S3
internal import Storage

/// Makes the target that an operator names: the place for every kind of target.
package enum BackupTargets {
    /// Whether a text names a backup repository, and not a folder that `lcfile backup DIR` wrote.
    package static func isRepository(_ text: String) -> Bool {
        text.hasPrefix(S3Location.scheme) || BackupRepository.exists(inFolder: text)
    }

    /// Whether the server and `lcfile backup` refuse a folder for what is in it.
    ///
    /// - Parameter folder: The path of a folder.
    /// - Returns: Whether it has objects and is no backup repository; `false` if it cannot be read.
    package static func refuses(folder: String) -> Bool {
        guard !BackupRepository.exists(inFolder: folder),
            let target = try? FolderTarget(folder: folder, creating: false),
            let isEmpty = try? BackupRepository.canBegin(in: target)
        else { return false }
        return !isEmpty
    }

    /// The target that a text names: a folder or `s3://bucket/prefix`.
    ///
    /// Credentials are never part of the text, because all users of a machine can list the arguments of processes.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - isNew: Whether a folder that does not exist is created if its parent exists.
    ///   - loader: Loads the settings `backup.s3.*`; not used for a folder.
    /// - Returns: The target.
    /// - Throws: ``ExitError`` if it cannot be used.
    package static func target(
        _ text: String,
        creating isNew: Bool,
        _ loader: ConfigurationLoader
    ) throws -> any BackupTarget {
        try target(text, creating: isNew) { try loader.load(for: .storage).s3 }
    }

    /// The target that a text names, with the settings of a server.
    static func target(
        _ text: String,
        creating isNew: Bool,
        _ settings: () throws -> S3Configuration
    ) throws -> any BackupTarget {
        guard text.hasPrefix(S3Location.scheme) else {
            do {
                return try FolderTarget(folder: text, creating: isNew)
            } catch {
                throw ExitError.storage(error.description)
            }
        }
        guard let location = S3Location(text) else {
            throw ExitError.configuration("\(text) is not the name of a bucket such as s3://backups/lcfile")
        }
        return try settings().target(at: location)
    }
}
