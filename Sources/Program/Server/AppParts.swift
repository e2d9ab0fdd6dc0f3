internal import CurlFetch
internal import DiskBlobs
internal import Domain
internal import HTTPAPI
internal import NIOPosix
internal import PCREPatterns
internal import SQLiteStore
internal import Storage

/// Constructs one app: the adapters in its folder, and its services on them and on the shared parts.
struct AppParts {
    let database: SQLiteDatabase
    private let app: AppConfiguration
    private let shared: SharedParts
    let store: SQLiteObjectStore
    private let storage: BlobStorage
    let derivatives: DiskDerivativeStore
    private let files: FileService
    private let settings: ObjectSettings
    private let policy = CensorPolicy()

    private var configuration: ServerConfiguration { shared.configuration }

    /// Opens or creates the app's folder and its database.
    ///
    /// - Parameters:
    ///   - app: The app's settings.
    ///   - folder: Its folder.
    ///   - shared: The parts that all apps share.
    ///   - lookups: The app's threads for look-ups.
    /// - Throws: ``ExitError`` if one of them cannot be used.
    init(_ app: AppConfiguration, in folder: String, _ shared: SharedParts, lookups: NIOThreadPool) throws {
        self.app = app
        self.shared = shared
        let configuration = shared.configuration
        database = try AppParts.openDatabase(in: folder, shared, lookups)
        store = SQLiteObjectStore(database)
        do {
            storage = BlobStorage(
                staging: try DiskStagingArea(folder: folder, pool: shared.pools.disk, health: shared.health),
                blobs: try DiskBlobStore(folder: folder, pool: shared.pools.disk, health: shared.health)
            )
            derivatives = try DiskDerivativeStore(
                folder: folder,
                bound: configuration.derivativeCache,
                openFiles: shared.descriptors.openFiles,
                pool: shared.pools.disk,
                health: shared.health
            )
        } catch {
            throw ExitError.storage("the folder \(folder) cannot be used (\(error))")
        }
        files = FileService(
            files: FileRecords(store),
            blobs: storage.blobs,
            cache: DownloadCache(
                records: configuration.downloads.records,
                openBlobs: shared.descriptors.openFiles
            ),
            health: shared.health,
            policy: policy
        )
        settings = AppParts.settings(of: app, changes: store.changes, policy, shared)
    }

    /// Constructs the services, and recovers the uploads that an earlier server left.
    func services() async throws -> AppServices {
        let deletions = FileDeletions(
            app: app.id,
            store: store,
            blobs: storage.blobs,
            derivatives: derivatives,
            files: files,
            logger: shared.logger
        )
        let sessions = SessionService(store: store, dependencies: settings.accountDependencies)
        let uploads = uploads(sessions, deletions)
        try await uploads.recover(shared.logger)
        let mails = shared.mail?.queue(of: app.id, store, shared.logger)
        try await mails?.recover()
        let images = images
        let censorship = censorship(images)
        try await censorship.start()
        return AppServices(
            id: app.id,
            uploads: uploads,
            files: files,
            deletions: deletions,
            images: images,
            remoteImages: remoteImages,
            objects: ObjectService(
                store: store,
                settings: settings,
                admission: QueryAdmission(limits: configuration.queryAdmission)
            ),
            schemas: SchemaService(store: store, limits: configuration.objects),
            permissions: PermissionService(store: store, limits: configuration.objects),
            sessions: sessions,
            accounts: AccountService(store: store, settings: settings),
            links: MailLinkService(store: store, settings: settings, templates: shared.mail?.templates),
            mails: mails,
            presentation: settings.files,
            fileDomains: app.fileDomains + [configuration.fileURLBase],
            ownDomains: app.fileDomains,
            mirror: mirror(uploads),
            censorship: censorship,
            liveQueries: liveQueries,
            queries: configuration.queries,
            patterns: PCREEngine()
        )
    }

    private var liveQueries: LiveQueryService? {
        guard configuration.liveQueries.enabled else { return nil }
        return LiveQueryService(
            app: app.id,
            store: store,
            settings: settings,
            engine: PCREEngine(),
            limits: configuration.liveQueries.limits,
            logger: shared.logger
        )
    }

    private func mirror(_ uploads: UploadService) -> MirrorService? {
        guard let origin = app.mirrorOrigin ?? configuration.mirror.origin else { return nil }
        let id = app.id
        return MirrorService(
            origin: origin,
            settings: configuration.mirror,
            uploads: uploads,
            fetcher: shared.mirrorFetches,
            report: { MirrorMetrics.count($0, of: id) }
        )
    }

    private func uploads(_ sessions: SessionService, _ deletions: FileDeletions) -> UploadService {
        var limits = configuration.uploads
        limits.record = configuration.objects
        return UploadService(
            app: app.id,
            limits: limits,
            storage: storage,
            store: store,
            types: shared.types,
            sessions: sessions,
            fetchers: shared.fetchers,
            keyClaims: shared.keyClaims,
            deletions: deletions,
            requestLimits: shared.requestLimits
        )
    }

    private var images: ImageService {
        ImageService(
            settings: configuration.images,
            names: app.images,
            app: app.id,
            files: files,
            renderer: shared.images.renderer,
            admission: shared.images.admission,
            served: shared.images.served,
            derivatives: derivatives,
            scratch: storage.staging
        )
    }

    private var remoteImages: RemoteImages {
        RemoteImages(
            fetchers: shared.fetchers,
            derivatives: derivatives,
            types: shared.types,
            limit: configuration.images.limits.sourceSize,
            memory: shared.images.fetched,
            requestLimits: shared.requestLimits
        )
    }

    private func censorship(_ images: ImageService) -> CensorService {
        let known = KnownImages()
        let previews = Previews(
            base: configuration.fileURLBase,
            address: PreviewAddress(app: app.id, masterKey: app.keys.masterKey)
        )
        let checks = FileChecks(
            files: files,
            images: images,
            remoteImages: remoteImages,
            checkers: shared.censorship.checkers(of: app.id, store: store, known: known, previews: previews),
            limits: configuration.censorship.limits
        )
        let queue = CensorQueue(
            app: app.id,
            store: store,
            checks: checks,
            policy: policy,
            purge: shared.censorship.purge(of: app.id, settings.files),
            limits: configuration.censorship.limits,
            logger: shared.logger
        )
        return CensorService(
            queue: queue,
            classifier: shared.censorship.classifier,
            known: known,
            previews: previews,
            presentation: settings.files,
            webhookSecret: shared.censorship.webhook?.settings.secret
        )
    }

    private static func openDatabase(
        in folder: String,
        _ shared: SharedParts,
        _ lookups: NIOThreadPool
    ) throws -> SQLiteDatabase {
        let path = "\(folder)/\(FolderEngine().databaseName)"
        let threads = shared.configuration.threads
        do {
            return try SQLiteDatabase(
                path: path,
                readers: threads.databaseReaders,
                cacheSize: threads.databaseCache,
                health: shared.health,
                commits: shared.commits,
                readThreads: ReadThreads(
                    lookups: lookups,
                    quick: shared.pools.quickQueries,
                    slow: shared.pools.slowQueries
                )
            )
        } catch {
            throw ExitError.storage("the database \(path) \(error.message)")
        }
    }

    private static func settings(
        of app: AppConfiguration,
        changes: ChangeFeed,
        _ policy: CensorPolicy,
        _ shared: SharedParts
    ) -> ObjectSettings {
        let configuration = shared.configuration
        let verifier = configuration.verifier
        let accounts = configuration.accounts(of: app)
        return ObjectSettings(
            limits: configuration.objects,
            queries: configuration.queries,
            files: FilePresentation(
                publicURL: app.fileDomains.first ?? configuration.fileURLBase,
                bucket: app.id.bucket,
                policy: policy,
                privacy: configuration.privacy(of: app)
            ),
            accountDependencies: AccountDependencies(
                settings: accounts,
                changes: changes,
                hasher: shared.passwords,
                verifier: verifier.url.map { url in
                    AuthDataHook(url: url, timeout: verifier.timeout, pool: shared.pools.web, logger: shared.logger)
                },
                requestLimits: shared.requestLimits
            ),
            nameLength: configuration.uploads.nameLength,
            masterNameLength: configuration.uploads.masterNameLength,
            hasMirror: app.mirrorOrigin ?? configuration.mirror.origin != nil,
            mail: shared.mail?.policy(verifiesAddresses: accounts.verifiesEmail)
        )
    }
}

extension ServerConfiguration {
    /// The account settings of an app.
    func accounts(of app: AppConfiguration) -> AccountSettings {
        var accounts = accounts
        accounts.verifiesEmail = app.verifiesEmail ?? accounts.verifiesEmail
        accounts.requiresVerifiedEmail = app.requiresVerifiedEmail ?? accounts.requiresVerifiedEmail
        return accounts
    }

    /// Which URLs of an app's files need a signature.
    func privacy(of app: AppConfiguration) -> FilePrivacy {
        FilePrivacy(
            access: app.fileAccess ?? privacy.access,
            images: app.imageAccess ?? privacy.images,
            life: privacy.life,
            signatures: URLSignatures(
                app: app.id,
                secrets: privacy.keys.isEmpty ? [app.keys.masterKey] : privacy.keys
            )
        )
    }

    /// The limits of one app's concurrent queries.
    var queryAdmission: QueryAdmission.Limits {
        QueryAdmission.Limits(
            readers: threads.databaseReaders,
            perCaller: queries.concurrent,
            wait: 2 * queries.timeout
        )
    }
}
