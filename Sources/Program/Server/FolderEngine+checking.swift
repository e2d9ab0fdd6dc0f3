internal import DiskBlobs
package import Domain
internal import PostgresStore
internal import S3Blobs
internal import SQLiteStore
internal import Storage

/// The check engine for the same folders.
extension FolderEngine: CheckEngine {
    /// Opens the database's file (``DatabaseCheck``), or copies the objects in PostgreSQL (`SnapshotCheck`).
    package func openDatabase(in folder: String, repairing: Bool) throws(OpenFailure) -> any CheckedDatabase {
        if let (address, id) = try schema(of: folder) { return try SnapshotCheck(of: address, id: id, app: folder) }
        return try DatabaseCheck(path: "\(folder)/\(databaseName)", repairing: repairing)
    }

    /// Renames the log (`OfflineLog`).
    package func moveLogAside(in folder: String) throws(OpenFailure) -> String {
        try OfflineLog(of: "\(folder)/\(databaseName)").moveAside()
    }

    /// Opens the database to read the records of files and entries of the trash; of PostgreSQL only these are copied.
    ///
    /// - Parameter folder: The app's folder, which a server can use.
    /// - Returns: The database.
    /// - Throws: ``OpenFailure``.
    func openFiles(in folder: String) throws(OpenFailure) -> any CheckedDatabase {
        guard let (address, id) = try schema(of: folder) else {
            return try DatabaseCheck(path: "\(folder)/\(databaseName)", repairing: false)
        }
        return try SnapshotCheck(of: address, id: id, app: folder, classes: [.file, .trash])
    }

    /// Reads the files (``FolderBlobs``), or the objects in a bucket.
    ///
    /// A marker that cannot be read counts as one: then the first access to a blob throws.
    package func blobs(in folder: String) -> any CheckedBlobs {
        let isMoved = (try? BlobMarker.read(in: folder) != nil) ?? true
        guard isMoved else { return FolderBlobs(folder: folder) }
        return BucketCheck(folder: folder) { [buckets] in
            guard let bucket = try buckets.bucket(of: folder) else {
                throw ExitError.storage("\(folder)/\(BlobMarker.name) was removed")
            }
            return bucket.checked
        }
    }

    /// Changes the database as a server does.
    package func correctUsage(in folder: String, to usage: Usage) async throws {
        if let (address, id) = try schema(of: folder) {
            let store = try PostgresObjectStore(address, expecting: id, readers: 1, lookups: 1)
            try await store.correctUsage(to: usage)
            return try await store.close()
        }
        let database = try SQLiteDatabase(path: "\(folder)/\(databaseName)", readers: 1)
        try await SQLiteObjectStore(database).correctUsage(to: usage)
        try database.close()
    }

    /// Opens the database's file to read it (``DatabaseCheck``); PostgreSQL's rows have no checksums of lcfile.
    package func rows(in folder: String) throws(OpenFailure) -> any RowInspection {
        if try schema(of: folder) != nil { return UncheckedRows() }
        return try DatabaseCheck(path: "\(folder)/\(databaseName)", repairing: false)
    }

    /// Opens the database's file to change it (``OfflineDatabase``).
    package func rowRepair(in folder: String) throws(OpenFailure) -> any RowRepair {
        if try schema(of: folder) != nil { return UncheckedRows() }
        return try OfflineDatabase(path: "\(folder)/\(databaseName)")
    }
}
