internal import FoundationEssentials
internal import Logging
internal import SQLiteStore
internal import Storage

/// Where the temporary files of SQLite are, set once for the process.
///
/// `SQLITE_TMPDIR` counts if it is a folder that can be written: SQLite uses it by itself.
package enum TemporaryFiles {
    /// Puts them into the storage folder of the server, on the disk whose free space the server knows and reserves.
    ///
    /// - Parameters:
    ///   - storage: The folder, locked for this process.
    ///   - logger: Gets a warning if the folder cannot be used.
    static func keep(in storage: borrowing StorageFolder, logger: Logger) {
        let folder = storage.temporaryFolder()
        guard !isChosen else { return }
        guard let folder else {
            return logger.warning(
                """
                The folder for temporary files in the storage cannot be written, or is not safe for root: SQLite uses \
                one of the system.
                """
            )
        }
        SQLiteDatabase.keepTemporaryFiles(in: folder)
    }

    /// Puts those of a command where its other temporary files are; call it before the first database is opened.
    ///
    /// - Parameter storage: The storage folder.
    package static func keep(besides storage: String) {
        // Without one, the first operation that needs a file reports it.
        guard !isChosen, let folder = try? TemporaryFolder.path(besides: storage) else { return }
        SQLiteDatabase.keepTemporaryFiles(in: folder)
    }

    private static var isChosen: Bool {
        ProcessInfo.processInfo.environment["SQLITE_TMPDIR"].map(TemporaryFolder.isWritable) ?? false
    }
}
