internal import CurlFetch
internal import DiskBlobs
internal import Domain
internal import HTTPAPI
internal import Logging
internal import MagicTypes
internal import NIOPosix
internal import PCREPatterns
internal import PasswordHashes
internal import SQLiteStore
internal import VipsMedia

extension LCFileServer {
    /// Tells media types by libmagic's database and the table of extensions.
    func typeDetector(on pool: NIOThreadPool) throws -> MagicTypeDetector {
        do {
            return try MagicTypeDetector(table: configuration.typeTable, pool: pool)
        } catch {
            throw StartError.storage(
                "the table of media types \(configuration.typeTable) or libmagic's database cannot be read; "
                    + "install the packages media-types and libmagic-mgc, or set uploads.typeTable"
            )
        }
    }

    /// Opens an app's database, or makes it.
    func openDatabase(in folder: String, _ health: StorageHealth, _ pools: ThreadPools) throws -> SQLiteDatabase {
        let path = "\(folder)/lcfile.sqlite"
        do {
            let threads = configuration.threads
            return try SQLiteDatabase(
                path: path,
                readers: threads.databaseReaders,
                cacheSize: threads.databaseCache,
                health: health,
                queryThreads: QueryThreads(quick: pools.quickQueries, slow: pools.slowQueries)
            )
        } catch {
            throw StartError.storage("the database \(path) \(error.message)")
        }
    }

    /// Which queries of one app run at the same time.
    var queryLimits: QueryAdmission.Limits {
        QueryAdmission.Limits(
            readers: configuration.threads.databaseReaders,
            perCaller: configuration.queries.concurrent,
            wait: 2 * configuration.queries.timeout
        )
    }

    /// Builds the adapters and services of one app on what all apps share.
    func build(
        _ app: AppConfiguration,
        in folder: String,
        _ database: SQLiteDatabase,
        _ health: StorageHealth,
        _ types: any TypeDetector,
        _ fetchers: Fetchers,
        _ keyClaims: KeyClaims,
        _ images: ImageEngine,
        _ passwords: PasswordPool,
        _ pools: ThreadPools,
        _ descriptors: DescriptorBudget
    ) async throws -> AppServices {
        let blobs: DiskBlobStore
        let derivatives: DiskDerivativeStore
        do {
            blobs = try DiskBlobStore(folder: folder, pool: pools.disk, health: health)
            derivatives = try DiskDerivativeStore(
                folder: folder,
                bound: configuration.derivativeCache,
                openFiles: descriptors.openFiles,
                pool: pools.disk,
                health: health
            )
        } catch {
            throw StartError.storage("the folder \(folder) cannot be used (\(error))")
        }
        let store = SQLiteObjectStore(database)
        let records = FileRecords(store)
        let files = FileService(
            files: records,
            blobs: blobs,
            cache: DownloadCache(records: configuration.downloads.records, openBlobs: descriptors.openFiles),
            health: health
        )
        let deletions = FileDeletions(
            app: app.id,
            store: store,
            blobs: blobs,
            derivatives: derivatives,
            files: files,
            logger: logger
        )
        let presentation = FilePresentation(
            publicURL: app.fileDomains.first ?? configuration.fileURLBase,
            bucket: app.id.bucket
        )
        let settings = ObjectSettings(
            limits: configuration.objects,
            queries: configuration.queries,
            files: presentation,
            accountDependencies: AccountDependencies(
                settings: configuration.accounts,
                changes: store.changes,
                hasher: passwords,
                verifier: configuration.verifier.url.map { url in
                    AuthDataHook(url: url, timeout: configuration.verifier.timeout, pool: pools.web, logger: logger)
                }
            ),
            nameLength: configuration.uploads.nameLength
        )
        let sessions = SessionService(store: store, dependencies: settings.accountDependencies)
        var limits = configuration.uploads
        limits.record = configuration.objects
        let uploads = UploadService(
            app: app.id,
            limits: limits,
            blobs: blobs,
            store: store,
            types: types,
            sessions: sessions,
            fetchers: fetchers,
            keyClaims: keyClaims,
            deletions: deletions
        )
        try await uploads.recover(logger)
        return AppServices(
            id: app.id,
            uploads: uploads,
            files: files,
            deletions: deletions,
            images: ImageService(
                settings: configuration.images,
                names: app.images,
                app: app.id,
                files: files,
                renderer: images.renderer,
                admission: images.admission,
                served: images.served,
                derivatives: derivatives
            ),
            remoteImages: RemoteImages(
                fetchers: fetchers,
                derivatives: derivatives,
                types: types,
                limit: configuration.images.limits.sourceSize,
                memory: images.fetched
            ),
            objects: ObjectService(
                store: store,
                settings: settings,
                admission: QueryAdmission(limits: queryLimits)
            ),
            schemas: SchemaService(store: store, limits: configuration.objects),
            permissions: PermissionService(store: store, limits: configuration.objects),
            sessions: sessions,
            accounts: AccountService(store: store, settings: settings),
            presentation: presentation,
            fileDomains: app.fileDomains + [configuration.fileURLBase],
            queries: configuration.queries,
            patterns: PCREEngine()
        )
    }
}

/// What all apps of a server share to make images.
struct ImageEngine {
    let renderer: VipsRenderer
    let admission: ImageAdmission
    /// Images that are answered from memory.
    let served: ServedMemory
    /// Files of other servers, until they are stored.
    let fetched: ServedMemory
}
