internal import Domain
internal import FoundationEssentials
internal import NIOPosix
internal import S3
internal import S3Blobs
internal import Storage

/// Moves the bytes of the files of all apps of a storage folder to the bucket of `blobs.store`, back to the folder, or
/// from one bucket to another.
///
/// For commands. Any number of runs copy beside the servers; the last one, for which they are stopped, moves the rest and
/// switches. The app's marker and the bucket's object `owners` are the switch, and are written when everything is there.
/// So a move that was cut off at any moment is finished by the next one (``BucketOwnership``).
package struct BlobMoves: Sendable {
    /// Where the bytes go.
    package enum Direction: Sendable {
        /// Into the bucket of `blobs.store`, from the folder of each app.
        case toBucket
        /// Into the folder of each app.
        case toFolder
        /// Into the bucket of `blobs.store`, from that of other settings.
        case fromBucket(BlobConfiguration)
    }

    /// How a move is done.
    package struct Options: Sendable {
        /// Whether the bytes are only copied, beside servers, and nothing is switched.
        package var copyOnly = false
        /// Whether files without whole bytes are left behind; otherwise the move ends before its switch.
        package var leavesDamaged = false

        /// Creates the default options.
        package init() {}
    }

    /// What was done for an app.
    package enum Outcome: Sendable, Equatable {
        /// The bytes are there, and are in use: of how many files, and how many bytes were copied by this run.
        case moved(files: Int, bytes: Int64)
        /// The bytes that files had are there, and nothing was switched: of how many files, and how many bytes were
        /// copied by this run.
        case copied(files: Int, bytes: Int64)
        /// The bytes had been moved before.
        case done
    }

    private let storage: String
    private let direction: Direction
    private let configuration: ServerConfiguration
    private let location: S3Location
    private let options: Options
    private let report: @Sendable (String) -> Void

    private static let cacheFolder = ".blob-move-cache"
    private static let cacheSize: Int64 = 1 << 30

    /// Creates a move; sends no request.
    ///
    /// - Parameters:
    ///   - storage: The storage folder.
    ///   - direction: Where the bytes go.
    ///   - configuration: The settings of the database and of the bucket.
    ///   - options: How it is done.
    ///   - report: Hears of what an operator should know.
    /// - Throws: ``ExitError`` without `blobs.store`, or if both buckets are one.
    package init(
        of storage: String,
        _ direction: Direction,
        with configuration: ServerConfiguration,
        _ options: Options,
        report: @escaping @Sendable (String) -> Void
    ) throws {
        guard let location = configuration.blobs.store else {
            throw ExitError.configuration("blobs.store is missing (--config, LCFILE_BLOBS_STORE)")
        }
        if case .fromBucket(let former) = direction {
            guard let other = former.store else {
                throw ExitError.configuration("the file of --from has no blobs.store")
            }
            guard other != location || former.s3.endpoint != configuration.blobs.s3.endpoint else {
                throw ExitError.configuration("blobs.store is \(location) in both configurations; set another one")
            }
        }
        self.storage = storage
        self.direction = direction
        self.configuration = configuration
        self.location = location
        self.options = options
        self.report = report
    }

    /// Moves one app after the other.
    ///
    /// - Parameter body: Hears of each app as soon as it is done.
    /// - Throws: ``ExitError``; the apps before stay moved.
    package func run(_ body: (_ app: String, Outcome) -> Void) async throws {
        // A server has its own lock of the folder; a copy goes on beside it.
        let folder = options.copyOnly ? nil : LockedFolder(try StorageFolder.locking(existing: storage))
        let ended = folder?.endedServers ?? []
        defer { withExtendedLifetime(folder) {} }
        try StorageFolder.refuseUnfinishedRestore(in: storage)
        let apps = try StorageFolder.apps(in: storage, withDatabase: FolderEngine.fileName)
        let lock = try MoveLock(of: storage)
        let path = "\(storage)/\(BlobMoves.cacheFolder)"
        // Also one that a killed run has left.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let cache = try S3FileCache(folder: path, bound: BlobMoves.cacheSize)
        let pool = NIOThreadPool(numberOfThreads: configuration.threads.blobs)
        pool.start()
        do {
            for app in apps { body("\(app)", try await move(app, lock.id, ended, cache, pool)) }
        } catch {
            try await pool.shutdownGracefully()
            throw BlobMoves.readable(error)
        }
        try await pool.shutdownGracefully()
    }

    /// The lock of a storage folder as a value that can be absent.
    private final class LockedFolder {
        private let folder: StorageFolder

        init(_ folder: consuming StorageFolder) {
            self.folder = folder
        }

        var endedServers: Set<String> { folder.endedServers() }
    }

    /// Converts the errors of the adapters to messages for the operator.
    private static func readable(_ error: any Error) -> any Error {
        switch error {
        case let failure as S3Error: ExitError.storage("\(failure)")
        case let failure as ServiceError: ExitError.storage("the bytes cannot be moved (\(failure.cause ?? failure))")
        default: error
        }
    }

    private func move(
        _ app: AppID,
        _ id: String,
        _ ended: Set<String>,
        _ cache: S3FileCache,
        _ pool: NIOThreadPool
    ) async throws -> Outcome {
        let folder = "\(storage)/\(app)"
        guard let route = try route(of: app, in: folder) else { return .done }
        let watch = MoveProgress(of: app, report: report)
        let move = AppBlobMove(
            app: app,
            folder: folder,
            databaseURL: configuration.databaseURL,
            phase: options.copyOnly ? .beside : .last,
            leavesDamaged: options.leavesDamaged,
            id: id,
            ended: ended,
            cache: cache,
            pool: pool,
            report: report,
            progress: { watch.note($0, parts: $1) }
        )
        let result: BlobMove.Outcome?
        do {
            result = try await move.run(route)
        } catch let failure as OpenFailure {
            throw ExitError.storage("the database of \(folder) \(failure.message)")
        }
        guard let outcome = result else { return .done }
        return options.copyOnly
            ? .copied(files: outcome.files, bytes: outcome.bytes)
            : .moved(files: outcome.files, bytes: outcome.bytes)
    }

    /// The route of an app; `nil` if its bytes have been moved.
    private func route(of app: AppID, in folder: String) throws -> AppBlobMove.Route? {
        let isInBucket = try BlobMarker.read(in: folder) != nil
        switch direction {
        case .toBucket: return isInBucket ? nil : .toBucket(try bucket(of: app, configuration.blobs))
        case .toFolder: return isInBucket ? .toFolder(from: try bucket(of: app, configuration.blobs)) : nil
        case .fromBucket(let former):
            guard isInBucket else {
                throw ExitError.configuration("the blobs of \(folder) are in the folder, in no bucket: omit --from")
            }
            return .betweenBuckets(from: try bucket(of: app, former), to: try bucket(of: app, configuration.blobs))
        }
    }

    private func bucket(of app: AppID, _ blobs: BlobConfiguration) throws -> AppBlobMove.Bucket {
        let location = blobs.store ?? location
        var options = S3Options()
        options.idleConnections = configuration.threads.blobs
        return AppBlobMove.Bucket(
            client: try blobs.s3.client(for: location, options: options),
            layout: S3BlobLayout(prefix: location.prefix, app: app.description),
            location: location,
            keys: blobs.keys
        )
    }
}
