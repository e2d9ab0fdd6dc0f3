internal import DiskBlobs
internal import Domain
internal import NIOPosix
internal import PostgresStore
internal import S3
internal import S3Blobs
internal import SQLiteStore
internal import Storage

/// Moves the bytes of the files of all apps of a storage folder to the bucket of `blobs.store`, or back to the folder.
///
/// For commands. No server runs. The app's marker is the switch: it is written, or removed, when everything is there. So a
/// move that was cut off at any moment is finished by the next one. While the bucket is incomplete, its owner is one that
/// no start accepts (``BlobPlacement``).
package struct BlobMoves: Sendable {
    /// Where the bytes go.
    package enum Direction: Sendable {
        /// Into the bucket.
        case toBucket
        /// Into the folder of each app.
        case toFolder
    }

    /// What was done for an app.
    package enum Outcome: Sendable, Equatable {
        /// The bytes are there, and are in use: of how many files, and how many bytes were copied by this run.
        case moved(files: Int, bytes: Int64)
        /// The bytes had been moved before.
        case done
    }

    private let storage: String
    private let direction: Direction
    private let configuration: ServerConfiguration
    private let location: S3Location
    private let leavesDamaged: Bool
    private let report: @Sendable (String) -> Void

    private static let moving = "moving-"
    private static let cacheFolder = ".blob-move-cache"

    /// Creates a move; sends no request.
    ///
    /// - Parameters:
    ///   - storage: The storage folder.
    ///   - direction: Where the bytes go.
    ///   - configuration: The settings of the database and of the bucket.
    ///   - leavesDamaged: Whether files without whole bytes are left behind; otherwise the move ends before its switch.
    ///   - report: Hears of what an operator should know.
    /// - Throws: ``ExitError`` without `blobs.store`.
    package init(
        of storage: String,
        _ direction: Direction,
        with configuration: ServerConfiguration,
        leavingDamaged leavesDamaged: Bool,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        guard let location = configuration.blobs.store else {
            throw ExitError.configuration("blobs.store is missing (--config, LCFILE_BLOBS_STORE)")
        }
        self.storage = storage
        self.direction = direction
        self.configuration = configuration
        self.location = location
        self.leavesDamaged = leavesDamaged
        self.report = report
    }

    /// Moves one app after the other.
    ///
    /// - Parameter body: Hears of each app as soon as it is done.
    /// - Throws: ``ExitError``; the apps before stay moved.
    package func run(_ body: (_ app: String, Outcome) -> Void) async throws {
        let folder = try StorageFolder.locking(existing: storage)
        defer { withExtendedLifetime(folder.path) {} }
        let apps = try folder.apps(withDatabase: FolderEngine.fileName)
        let pool = NIOThreadPool(numberOfThreads: configuration.threads.blobs)
        pool.start()
        do {
            for app in apps { body("\(app)", try await move(app, pool)) }
        } catch {
            try await pool.shutdownGracefully()
            throw BlobMoves.readable(error)
        }
        try await pool.shutdownGracefully()
    }

    /// Converts the errors of the adapters to messages for the operator.
    private static func readable(_ error: any Error) -> any Error {
        switch error {
        case let failure as OpenFailure: ExitError.storage("the database \(failure.message)")
        case let failure as S3Error: ExitError.storage("\(failure)")
        case let failure as ServiceError: ExitError.storage("the bytes cannot be moved (\(failure.cause ?? failure))")
        default: error
        }
    }

    private func move(_ app: AppID, _ pool: NIOThreadPool) async throws -> Outcome {
        let folder = "\(storage)/\(app)"
        let isMoved = try BlobMarker.read(in: folder) != nil
        guard isMoved == (direction == .toFolder) else { return .done }
        let bucket = BucketAccess.Bucket(
            client: try configuration.blobs.s3.client(for: location, options: options),
            layout: S3BlobLayout(prefix: location.prefix, app: app.description)
        )
        let database = try await OpenedDatabase(of: folder, configuration.databaseURL)
        do {
            let staging = S3StagingArea(bucket.client, layout: bucket.layout, pool: pool)
            guard try await !staging.hasLivingServers() else {
                throw ExitError.storage(
                    "a server used the bucket in the last minute: stop all of them, and migrate again after a minute"
                )
            }
            let cache = try S3FileCache(folder: "\(storage)/\(BlobMoves.cacheFolder)", bound: 1 << 30)
            let inBucket = BlobMove.Place(
                storage: BlobStorage(
                    staging: staging,
                    blobs: S3BlobStore(bucket.client, layout: bucket.layout, cache: cache, pool: pool)
                ),
                checked: BucketCheck(folder: folder) { S3CheckedBlobs(bucket.client, layout: bucket.layout) },
                comparesDigests: false
            )
            let inFolder = BlobMove.Place(
                storage: BlobStorage(
                    staging: try DiskStagingArea(folder: folder, pool: pool),
                    blobs: try DiskBlobStore(folder: folder, pool: pool)
                ),
                checked: FolderBlobs(folder: folder),
                comparesDigests: true
            )
            let owners = Owners(S3BlobOwners(bucket.client, layout: bucket.layout), folder, location, pool)
            let outcome: BlobMove.Outcome
            switch direction {
            case .toBucket:
                let id = try await owners.begin(schema: database.schema)
                outcome = try await moveAll(app, database.store, from: inFolder, to: inBucket, pool)
                try await owners.end(id)
                report(
                    "the former bytes are in \(folder)/blobs, trash and staging; remove them when you need them no more"
                )
            case .toFolder:
                let id = try await owners.requireOwn()
                outcome = try await moveAll(app, database.store, from: inBucket, to: inFolder, pool)
                try await owners.leave(id)
                let root = "s3://\(location.bucket)/\(bucket.layout.root)"
                report("the former bytes are below \(root); remove them when you need them no more")
            }
            try await database.close()
            return .moved(files: outcome.files, bytes: outcome.bytes)
        } catch {
            try? await database.close()
            throw error
        }
    }

    private var options: S3Options {
        var options = S3Options()
        options.idleConnections = configuration.threads.blobs
        return options
    }

    /// Removes the bytes of deleted files, and moves the others.
    private func moveAll(
        _ app: AppID,
        _ store: any ObjectStore,
        from source: BlobMove.Place,
        to target: BlobMove.Place,
        _ pool: NIOThreadPool
    ) async throws -> BlobMove.Outcome {
        let files = FileService(files: FileRecords(store), blobs: source.storage.blobs)
        let deletions = FileDeletions(app: app, store: store, blobs: source.storage.blobs, files: files)
        guard await deletions.drain() else {
            throw ExitError.storage("the bytes of deleted files of app \(app) cannot be removed; see lcfile check")
        }
        let outcome = try await BlobMove(store: store, source: source, target: target, pool: pool).run()
        for damage in outcome.damaged { report(damage) }
        guard outcome.damaged.isEmpty || leavesDamaged else {
            throw ExitError.incomplete(
                "the bytes of \(outcome.damaged.count) files of app \(app) are missing or damaged; nothing was switched. "
                    + "Restore them, or leave them behind with --leave-damaged"
            )
        }
        return outcome
    }

    /// The object `owners` of the bucket, and the marker.
    private struct Owners: Sendable {
        private let owners: S3BlobOwners
        private let folder: String
        private let location: S3Location
        private let pool: NIOThreadPool

        init(_ owners: S3BlobOwners, _ folder: String, _ location: S3Location, _ pool: NIOThreadPool) {
            (self.owners, self.folder, self.location, self.pool) = (owners, folder, location, pool)
        }

        /// Takes a bucket without objects, or one that an earlier move has begun to fill.
        ///
        /// - Returns: The id that the bucket gets in the end.
        func begin(schema: String?) async throws -> String {
            try await pool.runIfActive { [self] in
                let prepared = try BlobMarker.readPrepared(in: folder)?.id
                let id = schema ?? prepared ?? RandomString.lowercase(25)
                let found = try owners.read()
                if let found {
                    // The last one: cut off before the marker.
                    guard found == [BlobMoves.moving + id] || found == [id] && prepared == id else {
                        throw BlobPlacement.Refusal.bucketOfOtherStorage.error(folder: folder, bucket: "\(location)")
                    }
                } else if try owners.hasObjects() {
                    throw BlobPlacement.Refusal.bucketWithoutOwner.error(folder: folder, bucket: "\(location)")
                }
                try BlobMarker(id: id).prepare(in: folder)
                try owners.write([BlobMoves.moving + id])
                return id
            }
        }

        /// Switches to the bucket.
        func end(_ id: String) async throws {
            try await pool.runIfActive { [self] in
                try owners.write([id])
                try BlobMarker(id: id).write(in: folder)
            }
        }

        /// Requires that the bucket is that of the marker.
        func requireOwn() async throws -> String {
            try await pool.runIfActive { [self] in
                let id = try BlobMarker.read(in: folder)?.id ?? ""
                guard let found = try owners.read() else {
                    throw BlobPlacement.Refusal.bucketIsOther.error(folder: folder, bucket: "\(location)")
                }
                guard found.contains(id) || found == [BlobMoves.moving + id] else {
                    throw BlobPlacement.Refusal.bucketOfOtherStorage.error(folder: folder, bucket: "\(location)")
                }
                return id
            }
        }

        /// Switches to the folder; the id stays prepared, so that a later move finds the bucket again.
        func leave(_ id: String) async throws {
            try await pool.runIfActive { [self] in
                try owners.write([BlobMoves.moving + id])
                try BlobMarker(id: id).prepare(in: folder)
                try BlobMarker.remove(in: folder)
            }
        }
    }
}

/// The objects of an app, opened by a command while no server runs.
private struct OpenedDatabase {
    let store: any ObjectStore
    /// The id of the schema; `nil` with SQLite.
    let schema: String?
    let close: @Sendable () async throws -> Void

    init(of folder: String, _ url: Secret) async throws {
        guard let (address, id) = try FolderEngine(databaseURL: { url }).schema(of: folder) else {
            let database = try SQLiteDatabase(path: "\(folder)/\(FolderEngine.fileName)", readers: 2)
            store = SQLiteObjectStore(database)
            schema = nil
            close = { try database.close() }
            return
        }
        let objects = try PostgresObjectStore(address, readers: 2, lookups: 2)
        guard objects.id == id else {
            try await objects.close()
            throw ExitError.storage("\(folder)/\(DatabaseMarker.name) is not that of its schema")
        }
        store = objects
        schema = id
        close = { try await objects.close() }
    }
}
