internal import DiskBlobs
package import Domain
internal import SQLiteStore

/// The check engine for the same folders.
extension FolderEngine: CheckEngine {
    /// Opens the database's file (``DatabaseCheck``).
    package func openDatabase(in folder: String, repairing: Bool) throws(OpenFailure) -> any CheckedDatabase {
        try DatabaseCheck(path: "\(folder)/\(databaseName)", repairing: repairing)
    }

    /// Reads the files (``FolderBlobs``).
    package func blobs(in folder: String) -> any CheckedBlobs {
        FolderBlobs(folder: folder)
    }

    /// Changes the database as a server does.
    package func correctUsage(in folder: String, to usage: Usage) async throws {
        let database = try SQLiteDatabase(path: "\(folder)/\(databaseName)", readers: 1)
        try await SQLiteObjectStore(database).correctUsage(to: usage)
        try database.close()
    }

    /// Opens the database's file to read it (``DatabaseCheck``).
    package func rows(in folder: String) throws(OpenFailure) -> any RowInspection {
        try DatabaseCheck(path: "\(folder)/\(databaseName)", repairing: false)
    }

    /// Opens the database's file to change it (``OfflineDatabase``).
    package func rowRepair(in folder: String) throws(OpenFailure) -> any RowRepair {
        try OfflineDatabase(path: "\(folder)/\(databaseName)")
    }
}
