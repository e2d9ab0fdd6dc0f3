internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// The listeners, and the services that run beside them.
extension LCFileServer {
    /// Runs the listeners until a signal, and for `http.drainTime` seconds more; running requests then have
    /// `http.shutdownTimeout` seconds to finish.
    ///
    /// - Parameters:
    ///   - parts: What listens, and what runs beside it.
    ///   - onRunning: Called when every listener is bound to its address.
    /// - Throws: The error of a service that failed.
    func serve(_ parts: ListeningParts, onRunning: @escaping @Sendable () -> Void) async throws {
        MetricsSystem.bootstrap(parts.page.named)
        // The greeting is printed only after every listener is bound to its address.
        let hasRedirect = configuration.tls.redirectPort > 0
        let waiting = Mutex(1 + (configuration.metrics.enabled ? 1 : 0) + (hasRedirect ? 1 : 0))
        let listening: @Sendable () -> Void = {
            let all = waiting.withLock { waiting in
                waiting -= 1
                return waiting == 0
            }
            if all { onRunning() }
        }
        // With names: for a service without one, the group would log a description of all its parts at each start.
        var services = [
            ServiceGroupConfiguration.ServiceConfiguration(
                service: mainListener(parts, onRunning: listening),
                serviceName: "listener"
            )
        ]
        services += parts.background.map { .init(service: $0, serviceName: "\(type(of: $0))") }
        // Services stop in the opposite order.
        if let liveQueries = parts.liveQueries {
            services.insert(.init(service: liveQueries, serviceName: "live queries"), at: 0)
        }
        if configuration.metrics.enabled {
            let listener = metricsListener(parts.page, onRunning: listening)
            services.insert(.init(service: listener, serviceName: "metrics listener"), at: 0)
        }
        if hasRedirect {
            let endpoint = RedirectEndpoint(configuration: configuration, logger: logger, onRunning: listening)
            let listener = AddressReporting(endpoint.service(), at: .redirect(configuration))
            services.insert(.init(service: listener, serviceName: "redirect listener"), at: 0)
        }
        if let workers = parts.bucketWorkers {
            services.insert(.init(service: workers, serviceName: "bucket"), at: 0)
        }
        var group = ServiceGroupConfiguration(services: services, logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(configuration.http.shutdownTimeout)
        let signals = StopSignals(log: runLog, drainTime: .seconds(configuration.http.drainTime)) {
            // First, so that a load balancer hears of it while requests are still served.
            parts.readiness.stop()
            parts.connections.drain()
        }
        try await signals.run(ServiceGroup(configuration: group))
    }

    private func mainListener(
        _ parts: ListeningParts,
        onRunning: @escaping @Sendable () -> Void
    ) -> some Service {
        let (api, connections, descriptors) = (parts.api, parts.connections, parts.descriptors)
        let responder = api.responder(mounting: parts.console, monitor: parts.monitor)
        let server = Application(
            responder: responder,
            server: HTTPConnection.server(
                idleTimeout: .seconds(Int64(configuration.http.idleTimeout)),
                connections: connections,
                addresses: AddressConnections(
                    most: descriptors.connectionsPerAddress(configuration.http.maxConnectionsPerAddress),
                    exempt: configuration.networksWithoutConnectionLimit
                ),
                liveConnections: api.liveConnections,
                hotDownloads: api.hotDownloads,
                direct: DirectResponder(responder, logger: logger),
                metrics: api.metrics,
                encryption: parts.encryption,
                http2: configuration.http2,
                streams: StreamLimit(
                    most: descriptors.streams,
                    exempt: configuration.networksWithoutConnectionLimit
                ),
                proxies: configuration.http.proxies,
                requests: requests,
                logger: logger
            ),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: "lcfile"
            ),
            onServerRunning: { [logger] listener in
                // Fails only if the listener is already closed.
                try? await connections.bound(to: descriptors.connections, on: listener, logger: logger)
                onRunning()
            },
            logger: logger
        )
        return AddressReporting(server, at: .api(configuration))
    }

    private func metricsListener(
        _ page: MetricsPage,
        onRunning: @escaping @Sendable () -> Void
    ) -> some Service {
        let settings = configuration.metrics
        let endpoint = MetricsEndpoint(settings: settings, page: page, logger: logger, onRunning: onRunning)
        return AddressReporting(endpoint.service(), at: .metrics(settings))
    }
}
