internal import Domain
internal import Glibc
internal import HTTPAPI
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import SQLiteStore
internal import ServiceLifecycle
internal import Storage
internal import Synchronization
internal import UnixSignals

/// Constructs the whole server, beginning with the storage folder, and runs it until a signal ends it.
///
/// ``run(onStarted:)`` constructs all parts in the order of their dependencies; ``SharedParts`` contains the parts that
/// all apps share, ``AppParts`` those of each app.
package struct LCFileServer {
    private(set) var configuration: ServerConfiguration
    let logger: Logger
    private let log: LogWriter
    private let logLevel: SharedLogLevel
    private let settings: (@Sendable () throws -> ServerConfiguration)?

    /// Creates a server from checked settings; opens nothing before ``run(onStarted:)``.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - settings: Reads them again, for a reload while the server runs; `nil` if that is not possible.
    package init(
        configuration: ServerConfiguration,
        rereading settings: (@Sendable () throws -> ServerConfiguration)? = nil
    ) {
        self.configuration = configuration
        self.settings = settings
        let log = LogWriter(layout: configuration.logFormat.layout(on: STDERR_FILENO), bound: configuration.logBuffer)
        self.log = log
        let level = SharedLogLevel(configuration.logLevel)
        logLevel = level
        logger = Logger(label: "lcfile") { label in
            SharedLevelLogHandler(BufferedLogHandler(label: label, writer: log), level: level)
        }
    }

    /// Runs until SIGTERM or SIGINT, then lets running requests finish.
    ///
    /// - Parameter onStarted: Called when the server accepts requests.
    /// - Throws: ``ExitError`` if it cannot start.
    package func run(onStarted: @escaping @Sendable (Greeting) -> Void) async throws {
        try await log.whileRunning {
            let hasStarted = Atomic(false)
            runLog.start(configuration)
            do {
                try await runListening { greeting in
                    hasStarted.store(true, ordering: .relaxed)
                    onStarted(greeting)
                }
            } catch {
                // The caller prints why a start failed.
                if hasStarted.load(ordering: .relaxed) { runLog.failure(error) }
                throw error
            }
            runLog.end()
        }
    }

    var runLog: RunLog { RunLog(logger: logger) }

    /// Adds the line of a request to the log, if the level of the log includes it at that time.
    var requests: RequestSink {
        { [log, logLevel] request in
            if logLevel.value <= .info { log.write(request) }
        }
    }

    /// Takes the addresses and runs the services on them.
    private func runListening(onStarted: @escaping @Sendable (Greeting) -> Void) async throws {
        // Before anything is created, as other faults of the settings.
        let address = try AddressReservation(.api(configuration))
        let metrics = configuration.metrics.enabled ? try AddressReservation(.metrics(configuration.metrics)) : nil
        let redirect = configuration.tls.redirectPort > 0 ? try AddressReservation(.redirect(configuration)) : nil
        var server = self
        server.configuration.port = address.port
        if let port = metrics?.port { server.configuration.metrics.port = port }
        if metrics != nil, configuration.metrics.port == 0 {
            logger.notice(
                "metrics.port is 0: metrics are served on a free port.",
                metadata: ["port": "\(server.configuration.metrics.port)"]
            )
        }
        defer { withExtendedLifetime((address, metrics, redirect)) {} }
        try await server.runServices(onStarted: onStarted)
    }

    private func runServices(onStarted: @escaping @Sendable (Greeting) -> Void) async throws {
        MemoryAllocator.start()
        // A file that exceeds the process's limit causes an error of that write, and does not end the server.
        signal(SIGXFSZ, SIG_IGN)
        // Until it is listened to, at the end of the start, it must not end the server.
        signal(SIGHUP, SIG_IGN)
        // Before anything is created, too.
        let certificate = try configuration.tls.files.map {
            try ServerCertificate($0, hasHTTP2: configuration.http2.isEnabled, logger: logger)
        }
        let storage = try StorageFolder(path: configuration.storage)
        try storage.refuseUnfinishedRestore()
        let generated = configuration.apps.isEmpty ? try GeneratedApp(in: storage) : nil
        let leftApp = generated == nil ? GeneratedApp.warning(in: storage, beside: configuration.apps) : nil
        let warnings = configuration.warnings + [leftApp, publicURLWarning].compactMap(\.self)
        for warning in warnings { logger.warning("\(warning)") }
        // Its owner can have added styles, which the validation of settings has not checked.
        try generated?.configuration.checkStyles(against: configuration.images.limits)
        let apps = generated.map { [$0.configuration] } ?? configuration.apps
        let descriptors = try DescriptorBudget(
            limit: DescriptorBudget.raiseLimit(),
            for: configuration,
            apps: apps.count
        )

        let probe = StorageProbe(in: storage, minFree: configuration.minFree)
        let reserve = try StorageReserve(in: storage, size: configuration.reserve)
        let health = StorageHealth(inspector: reserve, logger: logger, onReport: StorageWatch.count)
        // On a full disk this check releases the reserve, because the databases need space to open.
        health.look()

        try await ThreadPools.with(configuration, apps: apps.count) { pools in
            let shared = try SharedParts(configuration, logger, health, pools, descriptors)
            var parts: [AppParts] = []
            var services: [AppServices] = []
            for (app, lookups) in zip(apps, pools.lookups) {
                parts.append(try AppParts(app, in: storage.folder(of: app.id), shared, lookups: lookups))
                services.append(try await parts[parts.count - 1].services())
            }

            for app in services { await app.uploads.finishRecovered() }

            let readiness = Readiness()
            let api = API(
                apps: services,
                authenticator: Authenticator(keys: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0.keys) })),
                publicURL: configuration.fileURLBase,
                limits: configuration.wireLimits,
                providers: configuration.providers,
                largeBodies: LargeBodyThreads(pools.bodies),
                health: health,
                readiness: readiness,
                compresses: configuration.http.compression,
                maxWebSockets: descriptors.webSockets,
                hotDownloads: descriptors.bounded(configuration.hotDownloads),
                proxies: configuration.http.proxies,
                requestLimits: shared.requestLimits,
                requests: requests,
                logger: logger
            )
            let greeting = Greeting(
                configuration: configuration,
                app: apps[0],
                generated: generated,
                warnings: warnings
            )
            let sweeper = UploadSweeper(apps: services, interval: configuration.sweepInterval, logger: logger)
            let deletions = DeletionWorkers(apps: services)
            let censors = CensorWorkers(apps: services, engine: shared.censorship, logger: logger)
            let mails = MailWorkers(apps: services)
            let watch = StorageWatch(health: health, pool: pools.disk)
            let readinessWatch = ReadinessWatch(
                readiness: readiness,
                health: health,
                probe: probe,
                pool: pools.disk,
                stores: parts.map(\.store),
                queues: shared.queues,
                logger: logger
            )
            await readinessWatch.begin()
            let probes = pools.probes
            let connections = OpenConnections()
            let page = MetricsPage(
                of: shared,
                apps: Array(zip(services, parts)),
                api: api,
                connections: connections,
                probes: probes,
                certificate: certificate
            )
            let reload = ReloadSignal(
                certificate: certificate,
                logLevel: logLevel,
                settings: settings,
                pool: pools.disk,
                logger: logger
            )
            try await serve(
                api,
                LiveQueryWorkers(apps: services),
                // The last one stops first: the server is not ready before the listener stops.
                [sweeper, deletions, censors, mails, watch, PoolWatch(probes: probes), reload, readinessWatch],
                page,
                connections,
                descriptors,
                certificate?.encryption(threads: pools.disk)
            ) { [runLog, configuration] in
                runLog.serving(configuration, apps: apps, descriptors)
                onStarted(greeting)
            }
            await shared.censorship.close()
            for part in parts { try part.database.close() }
            reserve.takeForNextStart()
        }
    }

    /// The warning about file URLs that begin with an address that clients of other machines cannot reach.
    private var publicURLWarning: String? {
        let isOpen = ["0.0.0.0", "::", "[::]"].contains(configuration.host)
        guard configuration.publicURL == nil, isOpen || !configuration.http.proxies.networks.isEmpty else { return nil }
        return "publicURL is not set: file URLs begin with \(configuration.fileURLBase)."
    }
}
