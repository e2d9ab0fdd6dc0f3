internal import Domain
internal import NIOPosix
internal import S3
internal import S3Blobs
internal import Storage
internal import Synchronization

/// The bucket with the blobs of all apps (`blobs.store`), and what the stores of all apps share: connections, threads,
/// and the cache.
struct BlobEngine: Sendable {
    let location: S3Location
    let client: S3Client
    let cache: S3FileCache
    private let settings: S3Configuration
    /// The source of the keys of all clients and of the signer: the requests of one renew them for all.
    private let credentials: any S3CredentialSource
    /// The keys with which this server encrypts blobs; `nil` if it does not.
    let keys: BlobKeys?
    private let signer: S3URLSigner
    /// For derivatives, without which a request only takes longer: one attempt, and not for long.
    private let derivativeClient: S3Client
    private let pool: NIOThreadPool
    private let reads: NIOThreadPool
    private let health: StorageHealth
    private let identity: ServerIdentity
    private let stopping: StopFlag

    /// The folder of the cache in the storage folder; no id of an app begins with a dot.
    private static let cacheFolder = ".blob-cache"

    /// Opens the cache; sends no request.
    ///
    /// - Returns: `nil` without `blobs.store`.
    /// - Throws: ``ExitError`` if keys are missing, a name or the cache cannot be used.
    init?(
        _ configuration: ServerConfiguration,
        _ pools: ThreadPools,
        _ health: StorageHealth,
        _ identity: ServerIdentity
    ) throws {
        guard let location = configuration.blobs.store else { return nil }
        self.location = location
        self.health = health
        self.identity = identity
        settings = configuration.blobs.s3
        keys = configuration.blobs.keys
        pool = pools.blobs
        reads = pools.blobReads
        let stopping = StopFlag()
        self.stopping = stopping
        var options = S3Options()
        options.idleConnections = 2 * configuration.threads.blobs
        // A client waits for each of these requests: a store that is silent costs it about a minute, and not six.
        options.attempts = 4
        options.connectTimeout = 5
        options.idleTimeout = 15
        credentials = try settings.credentials(for: location)
        client = try settings.client(for: location, options: options, credentials: credentials) {
            !stopping.isSet.load(ordering: .relaxed)
        }
        options.attempts = 1
        (options.connectTimeout, options.idleTimeout, options.timeout) = (2, 5, 10)
        derivativeClient = try settings.client(for: location, options: options, credentials: credentials) {
            !stopping.isSet.load(ordering: .relaxed)
        }
        let folder = "\(configuration.storage)/\(BlobEngine.cacheFolder)"
        let endpoint = configuration.blobs.publicEndpoint
        signer = try settings.signer(for: location, at: endpoint, credentials: credentials)
        do {
            cache = try S3FileCache(folder: folder, bound: configuration.blobs.cacheSize)
        } catch {
            throw ExitError.storage("the folder \(folder) of cached blobs cannot be used (\(error))")
        }
    }

    /// A probe that requests an object which every server has.
    ///
    /// - Throws: ``ExitError``, as the initializer.
    func probe(of app: AppID) throws -> BucketProbe {
        BucketProbe(
            try settings.client(for: location, options: BucketProbe.options, credentials: credentials),
            layout(of: app).ownersName,
            on: pool
        )
    }

    /// Ends running requests and their pauses; later ones fail.
    func stop() {
        stopping.isSet.store(true, ordering: .relaxed)
    }

    /// The names of an app's objects.
    func layout(of app: AppID) -> S3BlobLayout {
        S3BlobLayout(prefix: location.prefix, app: app.description)
    }

    /// The blobs and staged bytes of an app whose bucket was claimed (``BucketClaim``).
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - encryption: How its blobs are encrypted; `nil` if they are not.
    /// - Returns: The blobs and staged bytes.
    func blobs(of app: AppID, _ encryption: BlobEncryption?) -> BucketBlobs {
        let layout = layout(of: app)
        return BucketBlobs(
            app: app,
            staging: S3StagingArea(
                client,
                layout: layout,
                pool: pool,
                health: health,
                encryption: encryption,
                server: identity.id,
                ended: identity.ended
            ),
            store: S3BlobStore(
                client,
                layout: layout,
                cache: cache,
                pool: pool,
                reads: reads,
                signer: signer,
                encryption: encryption
            )
        )
    }

    /// The derivatives of an app that all servers share.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - local: Those on the disk of this server.
    ///   - lifetime: The seconds for which a derivative stays in the bucket; 0 if none is there.
    ///   - encryption: How the app's blobs are encrypted; `nil` if they are not.
    /// - Returns: The derivatives; `nil` for the lifetime 0.
    func derivatives(
        of app: AppID,
        _ local: any DerivativeStore,
        lifetime: Int,
        _ encryption: BlobEncryption?
    ) -> SharedDerivatives? {
        guard lifetime > 0 else { return nil }
        return SharedDerivatives(
            local,
            derivativeClient,
            removing: client,
            layout: layout(of: app),
            pool: pool,
            reads: reads,
            lifetime: Int64(lifetime),
            encryption: encryption
        )
    }

    /// Runs a body that blocks on a thread of the store's requests.
    ///
    /// - Throws: ``ExitError`` for errors of the store.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            return try await pool.runIfActive(body)
        } catch let error as S3Error {
            throw ExitError.storage("\(location) (blobs.store): \(error)")
        }
    }

    private final class StopFlag: Sendable {
        let isSet = Atomic(false)
    }
}

/// The blobs and staged bytes of one app in a bucket.
struct BucketBlobs: Sendable {
    let app: AppID
    let staging: S3StagingArea
    let store: S3BlobStore
}
