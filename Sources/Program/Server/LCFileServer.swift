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
/// ``run(onStarted:)`` constructs all parts in the order of their dependencies: ``OpenStorage``, then ``SharedParts``,
/// the parts that all apps share, then ``OpenApps`` with the ``AppParts`` of each app.
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
        let storage = try OpenStorage(configuration, logger: logger)
        try await ThreadPools.with(configuration, apps: storage.apps.count) { pools in
            let shared = try SharedParts(
                configuration,
                logger,
                storage.health,
                pools,
                storage.descriptors,
                storage.identity
            )
            // Requests to the store end with the server, also those that wait for the next attempt.
            defer { shared.blobs?.stop() }
            let apps = try await OpenApps(storage, shared)
            let readiness = Readiness()
            let authenticator = Authenticator(
                keys: Dictionary(uniqueKeysWithValues: apps.settings.map { ($0.id, $0.keys) })
            )
            let api = api(apps, shared, authenticator, readiness)
            let greeting = Greeting(
                configuration: configuration,
                app: apps.settings[0],
                generated: storage.generated,
                warnings: storage.warnings
            )
            let backups = ContinuousBackups(
                loops: apps.parts.compactMap { $0.backup(of: storage.folder.path) },
                interval: configuration.backup.settings.interval,
                shutdownTimeout: configuration.http.shutdownTimeout,
                pool: pools.disk
            )
            let readinessWatch = try readinessWatch(apps, storage.probe, shared, readiness)
            await readinessWatch.begin()
            let probes = pools.probes
            let connections = OpenConnections()
            let page = MetricsPage(
                of: shared,
                apps: Array(zip(apps.services, apps.parts)),
                api: api,
                connections: connections,
                probes: probes,
                readiness: readiness,
                certificate: certificate
            )
            let monitor = ServerMonitoring(
                page: page,
                configuration: configuration,
                apps: apps.settings,
                readiness: readiness,
                health: storage.health,
                certificate: certificate,
                connectionLimit: storage.descriptors.connections,
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
                console: console(apps, authenticator),
                connections: connections,
                readiness: readiness,
                descriptors: storage.descriptors,
                encryption: certificate?.encryption(threads: pools.disk),
                page: page,
                monitor: monitor,
                liveQueries: LiveQueryWorkers(apps: apps.services),
                bucketWorkers: apps.bucketWorkers,
                // The last one stops first: the server is not ready before the listener stops, and leases are renewed
                // until all work has come to its end.
                background: workers(of: apps, shared, backups) + [
                    PoolWatch(probes: probes), HistoryRecorder(page: page, history: monitor.history), reload,
                    readinessWatch,
                ]
            )
            try await serve(listening) {
                [runLog, configuration, settings = apps.settings, descriptors = storage.descriptors] in
                runLog.serving(configuration, apps: settings, descriptors)
                onStarted(greeting)
            }
            await apps.bucketWorkers?.leave()
            await shared.censorship.close()
            // After the listeners: changes of requests that ended during the stop are acknowledged, too.
            await backups.finish()
            try await apps.close()
            storage.reserve.takeForNextStart()
        }
    }
}
