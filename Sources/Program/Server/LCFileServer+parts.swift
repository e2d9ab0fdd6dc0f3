internal import Console
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle
internal import Storage

/// The parts of the server that are constructed on its opened apps.
extension LCFileServer {
    /// The interface with the routes of all apps.
    func api(_ apps: OpenApps, _ shared: SharedParts, _ authenticator: Authenticator, _ readiness: Readiness) -> API {
        API(
            apps: apps.services,
            authenticator: authenticator,
            publicURL: configuration.fileURLBase,
            limits: configuration.wireLimits,
            providers: configuration.providers,
            largeBodies: LargeBodyThreads(shared.pools.bodies),
            health: shared.health,
            readiness: readiness,
            compresses: configuration.http.compression,
            maxWebSockets: shared.descriptors.webSockets,
            hotDownloads: shared.descriptors.bounded(configuration.hotDownloads),
            proxies: configuration.http.proxies,
            requestLimits: shared.requestLimits,
            requests: requests,
            logger: logger
        )
    }

    /// The console; `nil` if it is off.
    func console(_ apps: OpenApps, _ authenticator: Authenticator) -> Console? {
        guard configuration.console.access != .off else { return nil }
        return Console(
            services: Dictionary(uniqueKeysWithValues: apps.services.map { ($0.id, $0.console) }),
            authenticator: authenticator,
            options: configuration.consoleOptions(for: apps.settings)
        )
    }

    /// The checks of `/ready`, which have not begun.
    func readinessWatch(
        _ apps: OpenApps,
        _ probe: StorageProbe,
        _ shared: SharedParts,
        _ readiness: Readiness
    ) throws -> ReadinessWatch {
        ReadinessWatch(
            readiness: readiness,
            health: shared.health,
            probe: probe,
            pool: shared.pools.disk,
            stores: apps.parts.map(\.store),
            bucket: try shared.blobs?.probe(of: apps.settings[0].id),
            queues: shared.queues,
            logger: logger
        )
    }

    /// The workers of the apps, after the keeper of the leases under which some of them run.
    func workers(of apps: OpenApps, _ shared: SharedParts, _ backups: ContinuousBackups) -> [any Service] {
        [
            LeaseKeeper(leases: apps.services.map(\.leases)),
            backups,
            UploadSweeper(apps: apps.services, interval: configuration.sweepInterval, logger: logger),
            DeletionWorkers(apps: apps.services),
            TrashWorkers(apps: apps.services, logger: logger),
            CensorWorkers(apps: apps.services, engine: shared.censorship, logger: logger),
            DeliveryWorkers(apps: apps.services),
            PeopleWorkers(apps: apps.services),
            ChecksumWorkers(databases: apps.databases, logger: logger),
            ScrubWorkers(scrubbers: apps.scrubbers),
            StorageWatch(
                health: shared.health,
                databases: apps.databases,
                folders: apps.parts.flatMap(\.uploadFolders),
                pool: shared.pools.disk
            ),
        ]
    }
}
