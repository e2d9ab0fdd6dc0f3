internal import Domain
internal import Logging
internal import PostgresStore
internal import Storage

/// A schema of a PostgreSQL database (`database.url`).
struct SharedDatabase: AppDatabase {
    private let objects: PostgresObjectStore

    /// The maximum number of connections to the database for an app.
    ///
    /// - Parameter readers: The setting `database.readers`.
    /// - Returns: The number; docs/scale-out.md has it, too.
    static func connections(readers: Int) -> Int {
        readers + lookups(readers) + PostgresObjectStore.ownConnections
    }

    /// The reads of single objects at a time.
    private static func lookups(_ readers: Int) -> Int { readers + 2 }

    /// Opens the app's schema, or creates it for a new app.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - app: The app.
    ///   - folder: Its folder, which names the schema (``DatabaseMarker``).
    ///   - shared: The parts that all apps share.
    ///   - bucket: The bucket with the app's blobs, which several servers share; `nil` if they are in the folder.
    /// - Throws: ``ExitError`` if the database cannot be used, or has the objects of another storage.
    init(
        _ url: Secret,
        of app: AppID,
        in folder: String,
        _ shared: SharedParts,
        _ bucket: BucketClaim?
    ) async throws {
        let marker = try DatabaseMarker.read(in: folder)
        if marker == nil { try FolderEngine.refuseUnmoved(folder) }
        let schema = marker?.schema ?? DatabaseMarker.schema(of: app)
        let readers = shared.configuration.threads.databaseReaders
        do {
            objects = try PostgresObjectStore(
                PostgresAddress(url: url.revealed, schema: schema),
                expecting: marker?.id,
                use: bucket == nil ? .exclusive : .shared,
                readers: readers,
                lookups: SharedDatabase.lookups(readers),
                commits: shared.commits,
                logger: shared.logger
            )
        } catch {
            throw ExitError.storage("the schema \(schema) of the database (database.url) \(error.message)")
        }
        do {
            if marker == nil { try await claim(schema, in: folder, bucket) }
            try await objects.prepare()
        } catch {
            try? await objects.close()
            throw error
        }
    }

    /// Compares the schema with the bucket, and writes the marker of a folder that is new to the app.
    ///
    /// A schema with objects is joined if the bucket has its blobs; otherwise its blobs are in another folder.
    private func claim(_ schema: String, in folder: String, _ bucket: BucketClaim?) async throws {
        let isJoined =
            switch try await bucket?.decision(schema: objects.id) {
            case .use, .join: true
            case .create, .refuse, nil: false
            }
        let isUsable = if isJoined { true } else { try await objects.isEmpty() }
        guard isUsable else {
            throw ExitError.storage(
                "the schema \(schema) of the database (database.url) has the objects of another storage; \(folder) is new"
            )
        }
        try DatabaseMarker(schema: schema, id: objects.id).write(in: folder)
    }

    var store: any ObjectStore { objects }

    var rows: any RowInspection { UncheckedRows() }

    var id: String? { objects.id }

    /// `nil`: what other servers change is known too late.
    var cachedRows: CacheCounts? { nil }

    /// None: they are on the machine of the database.
    func sizes() -> [(file: String, size: Int64)] { [] }

    /// `nil`: there is no file.
    func displacement() -> StorageDisplacement? { nil }

    /// Does nothing: there are no checksums, because PostgreSQL has its own.
    func fillChecksums(of app: AppID, _ logger: Logger) {}

    /// `nil`, because PostgreSQL has its own.
    var capture: (@Sendable () -> any ChangeCapture)? { nil }

    /// `nil`: PostgreSQL compares its pages with checksums of its own.
    func countUsage() -> Usage? { nil }

    func close() async throws {
        try await objects.close()
    }
}

/// The rows of a database that checks its pages itself (PostgreSQL's `data_checksums`): none is inspected.
struct UncheckedRows: RowRepair {
    func inspectRows(after position: RowPosition?, limit: Int) -> InspectedRows {
        InspectedRows(count: 0, damaged: [], next: nil)
    }

    func accept(_ rows: [DamagedRow]) {}

    func remove(_ rows: [DamagedRow]) {}
}
