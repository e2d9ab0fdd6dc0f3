internal import CSQLite
internal import Synchronization

extension SQLiteDatabase {
    private static let temporaryFolder = Mutex<String?>(nil)

    /// Sets the folder in which SQLite creates the files of large sorts, temporary tables and journals of savepoints.
    ///
    /// SQLite removes each of them as soon as it is open. Call it before the first database of the process is opened; a
    /// second call has no effect. If the folder cannot be written later, SQLite uses another one, such as `/var/tmp`.
    ///
    /// It sets a variable of SQLite and not `SQLITE_TMPDIR`: setenv(3) can move the environment while another thread
    /// reads it, and the process has threads when it knows its storage folder.
    package static func keepTemporaryFiles(in folder: String) {
        temporaryFolder.withLock { known in
            guard known == nil else { return }
            known = folder
            csqlite_keep_temporary_files(folder)
        }
    }
}
