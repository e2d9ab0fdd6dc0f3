internal import CurlFetch
internal import DiskBlobs
internal import Domain
internal import HTTPAPI
internal import Logging
internal import NIOPosix
internal import PCREPatterns
internal import S3Blobs
internal import SQLiteStore
internal import Storage

/// Constructs one app: the adapters in its folder, and its services on them and on the shared parts.
struct AppParts {
    let database: any AppDatabase
    let app: AppConfiguration
    let shared: SharedParts
    let storage: BlobStorage
    /// Takes bytes that only this server needs, on its disk.
    let scratch: any StagingArea
    /// The blobs in the bucket; `nil` if they are in the folder.
    let bucket: BucketBlobs?
    /// The derivatives on the disk of this server.
    let localDerivatives: DiskDerivativeStore
    /// The derivatives that all servers share, with those of the disk; `nil` if each server has its own only.
    let sharedDerivatives: SharedDerivatives?
    let files: FileService
    let settings: ObjectSettings
    let policy = CensorPolicy()
    let suspects = Suspects()
    let folder: String

    var configuration: ServerConfiguration { shared.configuration }
    var store: any ObjectStore { database.store }
    var derivatives: any DerivativeStore { sharedDerivatives ?? localDerivatives }
    /// The folders that uploads need.
    var uploadFolders: [String] { bucket == nil ? ["\(folder)/staging", "\(folder)/blobs"] : ["\(folder)/staging"] }

    /// Opens or creates the app's folder and its database.
    ///
    /// - Parameters:
    ///   - app: The app's settings.
    ///   - folder: Its folder.
    ///   - shared: The parts that all apps share.
    ///   - lookups: The app's threads for look-ups.
    /// - Throws: ``ExitError`` if one of them cannot be used.
    init(_ app: AppConfiguration, in folder: String, _ shared: SharedParts, lookups: NIOThreadPool) async throws {
        self.app = app
        self.shared = shared
        self.folder = folder
        let configuration = shared.configuration
        let claim = shared.blobs.map { BucketClaim($0, of: app.id, in: folder) }
        if claim == nil { try BlobMarker.refuseMoved(folder) }
        database = try await AppParts.openDatabase(of: app.id, in: folder, shared, lookups, claim)
        let store = database.store
        let encryption = try await claim?.settle(schema: database.id)
        bucket = shared.blobs?.blobs(of: app.id, encryption ?? nil)
        do {
            let staging = try DiskStagingArea(folder: folder, pool: shared.pools.disk, health: shared.health)
            scratch = staging
            if let bucket {
                storage = BlobStorage(staging: bucket.staging, blobs: bucket.store)
            } else {
                storage = BlobStorage(
                    staging: staging,
                    blobs: try DiskBlobStore(folder: folder, pool: shared.pools.disk, health: shared.health)
                )
            }
            localDerivatives = try DiskDerivativeStore(
                folder: folder,
                bound: configuration.derivativeCache,
                openFiles: shared.descriptors.openFiles,
                pool: shared.pools.disk,
                health: shared.health
            )
        } catch {
            throw ExitError.storage("the folder \(folder) cannot be used (\(error))")
        }
        sharedDerivatives = shared.blobs?.derivatives(
            of: app.id,
            localDerivatives,
            lifetime: configuration.sharedDerivatives,
            encryption ?? nil
        )
        files = FileService(
            files: FileRecords(store),
            blobs: storage.blobs,
            cache: DownloadCache(
                records: configuration.downloads.records,
                openBlobs: shared.descriptors.openFiles
            ),
            health: shared.health,
            policy: policy,
            onDamage: { [suspects] in suspects.insert($0) }
        )
        settings = AppParts.settings(of: app, changes: store.changes, policy, shared)
    }

    /// Constructs the services, and recovers the uploads that an earlier server left; other servers can run meanwhile.
    func services() async throws -> AppServices {
        let leases = Leases(
            store.coordination,
            of: app.id,
            as: shared.identity.id,
            replacing: shared.identity.ended,
            logger: shared.logger
        )
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
        try await recoverUsage()
        try await uploads.recover(shared.logger)
        let trash = TrashService(store: store, blobs: storage.blobs, uploads: uploads, settings: settings)
        let mails = shared.mail?.queue(of: app.id, store, shared.logger)
        // With other servers, the one that gets the queue's lease recovers what the last one left.
        if !store.isShared { try await mails?.recover() }
        let captchas = shared.sms?.captchas(of: app, store)
        let sms = settings.sms.flatMap { shared.sms?.queue(of: app.id, store, $0, shared.logger) }
        if !store.isShared { try await sms?.recover() }
        let images = images
        let censorship = censorship(images)
        try await censorship.start()
        let objects = ObjectService(
            store: store,
            settings: settings,
            admission: QueryAdmission(limits: configuration.queryAdmission)
        )
        do {
            try await objects.prepare()
        } catch let error as ServiceError where [.storageFull, .storageReadOnly, .unavailable].contains(error.code) {
            // After an upgrade on a full disk, the server starts so that clients can delete.
            shared.logger.warning(
                "The classes of followers and feeds are made at the next start, because the storage takes no data",
                metadata: ["app": "\(app.id)"]
            )
        }
        do {
            try await objects.addMissingIdentities()
        } catch let error where !(error is CancellationError) {
            shared.logger.error(
                "Log-ins by an openid that no user has are refused: those of earlier users could not be stored",
                metadata: ["app": "\(app.id)", "error": "\(error.logged)"]
            )
        }
        return AppServices(
            id: app.id,
            leases: leases,
            uploads: uploads,
            files: files,
            redirects: configuration.redirects(of: app),
            deletions: deletions,
            trash: trash,
            collections: CollectionService(
                store: store,
                trash: trash,
                fileDomains: app.fileDomains + [configuration.fileURLBase],
                styleSeparator: app.images.separator
            ),
            images: images,
            remoteImages: remoteImages,
            objects: objects,
            schemas: SchemaService(store: store, limits: configuration.objects),
            permissions: PermissionService(store: store, limits: configuration.objects),
            sessions: sessions,
            accounts: AccountService(store: store, settings: settings),
            links: MailLinkService(store: store, settings: settings, templates: shared.mail?.templates),
            mails: mails,
            friendships: FriendshipService(store: store, settings: settings, objects: objects),
            feeds: FeedService(store: store, settings: settings, objects: objects, engine: PCREEngine()),
            people: PeopleQueue(
                app: app.id,
                store: store,
                settings: settings,
                objects: objects,
                engine: PCREEngine(),
                logger: shared.logger
            ),
            codes: SMSCodeService(store: store, settings: settings, captchas: captchas),
            sms: sms,
            captchas: captchas,
            presentation: settings.files,
            fileDomains: app.fileDomains + [configuration.fileURLBase],
            ownDomains: app.fileDomains,
            mirror: mirror(uploads),
            censorship: censorship,
            console: ConsoleService(store: store, keys: app.keys, settings: configuration.console.settings),
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
            requestLimits: shared.requestLimits,
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
            requestLimits: shared.requestLimits,
            openIdle: shared.descriptors.idleUploads
        )
    }

    private static func openDatabase(
        of app: AppID,
        in folder: String,
        _ shared: SharedParts,
        _ lookups: NIOThreadPool,
        _ bucket: BucketClaim?
    ) async throws -> any AppDatabase {
        let url = shared.configuration.databaseURL
        guard url.revealed.isEmpty else { return try await SharedDatabase(url, of: app, in: folder, shared, bucket) }
        try FolderEngine.refuseMoved(folder)
        try StorageFolder.refuseLostDatabase(in: folder, named: FolderEngine.fileName)
        // Before there is a file of a database that the bucket does not belong to.
        _ = try await bucket?.decision(schema: nil)
        let threads = ReadThreads(
            lookups: lookups,
            quick: shared.pools.quickQueries,
            slow: shared.pools.slowQueries
        )
        return try FileDatabase(in: folder, shared, threads)
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
            trash: configuration.trash,
            mail: shared.mail?.policy(verifiesAddresses: accounts.verifiesEmail),
            people: configuration.people,
            sms: shared.sms?.policy(of: app)
        )
    }
}
