internal import Domain
internal import PostgresStore
internal import SQLiteStore
internal import Storage

/// The objects of an app, opened by a command while no server runs.
struct OpenedDatabase {
    let store: any ObjectStore
    let close: @Sendable () async throws -> Void

    /// Opens the database of an app's folder.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - url: The address of the PostgreSQL database (`database.url`), if the objects are in one.
    /// - Throws: ``ExitError`` and `OpenFailure` if it cannot be opened, or is not that of the folder.
    init(of folder: String, _ url: Secret) async throws {
        guard let (address, id) = try FolderEngine(databaseURL: { url }).schema(of: folder) else {
            let database = try SQLiteDatabase(path: "\(folder)/\(FolderEngine.fileName)", readers: 2)
            store = SQLiteObjectStore(database)
            close = { try database.close() }
            return
        }
        let objects = try PostgresObjectStore(address, readers: 2, lookups: 2)
        guard objects.id == id else {
            try await objects.close()
            throw ExitError.storage("\(folder)/\(DatabaseMarker.name) is not that of its schema")
        }
        store = objects
        close = { try await objects.close() }
    }
}
