internal import Console
internal import Domain
internal import Glibc
internal import HTTPAPI
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
package import Storage
internal import Synchronization
internal import UnixSignals

/// Constructs the whole server, beginning with the storage folder, and runs it until a signal ends it.
///
/// ``run(onStarted:)`` constructs all parts in the order of their dependencies; ``SharedParts`` contains the parts that
/// all apps share, ``AppParts`` those of each app.
package struct LCFileServer: Sendable {
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

    /// Whether the lines of the log are JSON, so that it has the reason of each failure.
    ///
    /// Nothing else can then be written to standard error, because programs read it.
    package var hasJSONLog: Bool { log.layout == .json }

    /// Logs why a server does not start, before there is one, if the lines of the log are JSON.
    ///
    /// - Parameters:
    ///   - error: What is wrong with the settings.
    ///   - format: The format of the log.
    /// - Returns: Whether the lines are JSON; otherwise nothing is logged, and the caller prints the error.
    /// - Throws: `CancellationError`.
    package static func logFailedStart(_ error: ExitError, format: LogFormat) async throws -> Bool {
        var configuration = ServerConfiguration()
        configuration.logFormat = format
        let server = LCFileServer(configuration: configuration)
        guard server.hasJSONLog else { return false }
        try await server.log.whileRunning { server.runLog.failure(error) }
        return true
    }

    /// Adds a warning to the log.
    package func warn(_ message: String) {
        logger.warning("\(message)")
    }

    /// Runs until SIGTERM or SIGINT, then lets running requests finish.
    ///
    /// - Parameter onStarted: Called when the server accepts requests.
    /// - Throws: ``ExitError`` if it cannot start. A log in JSON has the error then, otherwise the caller prints it.
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
                // In text the caller prints why a start failed, for people.
                if hasStarted.load(ordering: .relaxed) || hasJSONLog { runLog.failure(error) }
                throw error
            }
            runLog.end()
        }
    }

    var runLog: RunLog { RunLog(logger: logger) }

    /// Receives the requests for the log.
    var requests: RequestSink { RequestSink(log, level: logLevel) }

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
        // Before the certificate is read: a signal during the start, which can take long, is a reload at its end.
        let reloads = await UnixSignalsSequence(trapping: .sighup)
        // Before anything is created, too.
        let certificate = try configuration.tls.files.map {
            try ServerCertificate($0, hasHTTP2: configuration.http2.isEnabled, logger: logger)
        }
        let storage = try StorageFolder(path: configuration.storage)
        try storage.refuseUnfinishedRestore()
        let generated = configuration.apps.isEmpty ? try GeneratedApp(in: storage) : nil
        let leftApp = generated == nil ? GeneratedApp.warning(in: storage, beside: configuration.apps) : nil
        // Its owner can have added styles, which the validation of settings has not checked.
        let faults = generated?.configuration.styleFaults(against: configuration.images.limits) ?? []
        guard faults.isEmpty else { throw ExitError.settings(faults) }
        let apps = generated.map { [$0.configuration] } ?? configuration.apps
        let warnings = configuration.warnings + [leftApp].compactMap(\.self) + configuration.warnings(for: apps)
        for warning in warnings { logger.warning("\(warning)") }
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
        // After it, because a new folder needs space, and before the first database is opened.
        TemporaryFiles.keep(in: storage, logger: logger)

        // Only servers with a bucket have others beside them.
        let identity = configuration.blobs.store == nil ? ServerIdentity() : storage.identity()
        try await ThreadPools.with(configuration, apps: apps.count) { pools in
            let shared = try SharedParts(configuration, logger, health, pools, descriptors, identity)
            // Requests to the store end with the server, also those that wait for the next attempt.
            defer { shared.blobs?.stop() }
            var parts: [AppParts] = []
            var services: [AppServices] = []
            var scrubbers: [(app: AppID, leases: Leases, scrubber: Scrubber)] = []
            for (app, lookups) in zip(apps, pools.lookups) {
                parts.append(try await AppParts(app, in: storage.folder(of: app.id), shared, lookups: lookups))
                let new = try await parts[parts.count - 1].services()
                services.append(new)
                scrubbers.append((app.id, new.leases, try parts[parts.count - 1].scrubber(new.images)))
            }

            let bucketWorkers = shared.blobs.map { _ in
                BucketWorkers(buckets: parts.compactMap(\.bucket), logger: logger)
            }
            if let bucketWorkers {
                await bucketWorkers.whileAlive { for app in services { await app.uploads.finishRecovered() } }
            } else {
                for app in services { await app.uploads.finishRecovered() }
            }

            let readiness = Readiness()
            let authenticator = Authenticator(keys: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0.keys) }))
            let api = API(
                apps: services,
                authenticator: authenticator,
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
            let trash = TrashWorkers(apps: services, logger: logger)
            let censors = CensorWorkers(apps: services, engine: shared.censorship, logger: logger)
            let messages = DeliveryWorkers(apps: services)
            let people = PeopleWorkers(apps: services)
            let databases = Array(zip(apps.map(\.id), parts.map(\.database)))
            let checksums = ChecksumWorkers(databases: databases, logger: logger)
            let backups = ContinuousBackups(
                loops: parts.compactMap { $0.backup(of: storage.path) },
                interval: configuration.backup.settings.interval,
                shutdownTimeout: configuration.http.shutdownTimeout,
                pool: pools.disk
            )
            let scrubs = ScrubWorkers(scrubbers: scrubbers)
            let watch = StorageWatch(
                health: health,
                databases: databases,
                folders: parts.flatMap(\.uploadFolders),
                pool: pools.disk
            )
            let readinessWatch = ReadinessWatch(
                readiness: readiness,
                health: health,
                probe: probe,
                pool: pools.disk,
                stores: parts.map(\.store),
                bucket: try shared.blobs?.probe(of: apps[0].id),
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
                readiness: readiness,
                certificate: certificate
            )
            let monitor = ServerMonitoring(
                page: page,
                configuration: configuration,
                apps: apps,
                readiness: readiness,
                health: health,
                certificate: certificate,
                connectionLimit: descriptors.connections,
                logLevel: logLevel
            )
            let reload = ReloadSignal(
                certificate: certificate,
                logLevel: logLevel,
                configuration: configuration,
                settings: settings,
                signals: reloads,
                pool: pools.disk,
                logger: logger
            )
            let listening = ListeningParts(
                api: api,
                console: console(apps, services, authenticator),
                connections: connections,
                readiness: readiness,
                descriptors: descriptors,
                encryption: certificate?.encryption(threads: pools.disk),
                page: page,
                monitor: monitor,
                liveQueries: LiveQueryWorkers(apps: services),
                bucketWorkers: bucketWorkers,
                // The last one stops first: the server is not ready before the listener stops, and leases are renewed
                // until all work has come to its end.
                background: [
                    LeaseKeeper(leases: services.map(\.leases)), backups, sweeper, deletions, trash, censors, messages,
                    people, checksums, scrubs, watch,
                    PoolWatch(probes: probes), HistoryRecorder(page: page, history: monitor.history), reload,
                    readinessWatch,
                ]
            )
            try await serve(listening) { [runLog, configuration] in
                runLog.serving(configuration, apps: apps, descriptors)
                onStarted(greeting)
            }
            await bucketWorkers?.leave()
            await shared.censorship.close()
            // After the listeners: changes of requests that ended during the stop are acknowledged, too.
            await backups.finish()
            for part in parts { try await part.database.close() }
            reserve.takeForNextStart()
        }
    }

    private func console(
        _ apps: [AppConfiguration],
        _ services: [AppServices],
        _ authenticator: Authenticator
    ) -> Console? {
        guard configuration.console.access != .off else { return nil }
        return Console(
            services: Dictionary(uniqueKeysWithValues: services.map { ($0.id, $0.console) }),
            authenticator: authenticator,
            options: configuration.consoleOptions(for: apps)
        )
    }
}
