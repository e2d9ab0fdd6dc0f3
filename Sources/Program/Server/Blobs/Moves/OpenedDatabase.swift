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
        let objects: PostgresObjectStore
        do {
            objects = try PostgresObjectStore(address, expecting: id, readers: 2, lookups: 2)
        } catch {
            throw ExitError.storage("the schema \(address.schema) of the database (database.url) \(error.message)")
        }
        store = objects
        close = { try await objects.close() }
    }
}
