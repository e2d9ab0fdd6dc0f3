internal import Domain
internal import Logging
internal import SQLiteStore
internal import Storage

/// A database of SQLite in the app's folder.
struct FileDatabase: AppDatabase {
    private let database: SQLiteDatabase
    private let path: String
    let store: any ObjectStore

    /// Opens or creates the database.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - shared: The parts that all apps share.
    ///   - threads: The threads of reads.
    /// - Throws: ``ExitError`` if it cannot be opened.
    init(in folder: String, _ shared: SharedParts, _ threads: ReadThreads) throws {
        path = "\(folder)/\(FolderEngine.fileName)"
        let settings = shared.configuration.threads
        do {
            database = try SQLiteDatabase(
                path: path,
                readers: settings.databaseReaders,
                cacheSize: settings.databaseCache,
                rowCache: settings.rowCache,
                health: shared.health,
                commits: shared.commits,
                readThreads: threads,
                acceptsLostCommits: shared.configuration.acceptsLostCommits
            )
        } catch {
            throw ExitError.storage("the database \(path) \(error.message)")
        }
        store = SQLiteObjectStore(database)
    }

    var rows: any RowInspection { database }

    var cachedRows: CacheCounts? { database.rows.counts }

    /// `nil`: the file is in the app's folder.
    var id: String? { nil }

    func sizes() -> [(file: String, size: Int64)] {
        let sizes = database.sizes
        return [("database", sizes.database), ("log", sizes.log)]
    }

    func displacement() -> StorageDisplacement? { database.displacement }

    func fillChecksums(of app: AppID, _ logger: Logger) async {
        await database.fillAll(of: app, logger)
    }

    var capture: (@Sendable () -> any ChangeCapture)? {
        { [database] in DatabaseCapture(of: database) }
    }

    /// Opens the file a second time, for reading.
    func countUsage() throws -> Usage? {
        let check = try DatabaseCheck(path: path, repairing: false)
        let usage = try check.usage().counted
        try check.close()
        return usage
    }

    func close() throws {
        try database.close()
    }
}
