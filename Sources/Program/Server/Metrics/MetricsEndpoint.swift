internal import HTTPAPI
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import ServiceLifecycle

/// The HTTP server for Prometheus, on a separate address, because it needs no credentials.
struct MetricsEndpoint {
    let settings: ServerConfiguration.MetricsSettings
    let page: MetricsPage
    let logger: Logger
    /// Called when the server is ready.
    let onRunning: @Sendable () -> Void

    /// Enough for several scrapers; their descriptors are part of the reserve.
    private static let maxConnections = 16

    func service() -> some Service {
        let router = Router()
        router.get("metrics") { [page] _, _ in
            Response(
                status: .ok,
                headers: [.contentType: MetricsPage.mediaType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: page.text))
            )
        }
        return Application(
            responder: router.buildResponder(),
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(
                address: .hostname(settings.host, port: settings.port),
                serverName: "lcfile"
            ),
            onServerRunning: { [logger, onRunning] listener in
                // Of no connections, so it closes none: Hummingbird does that after the idle time.
                let connections = OpenConnections()
                // Fails only if the listener is already closed.
                try? await connections.bound(to: MetricsEndpoint.maxConnections, on: listener, logger: logger)
                onRunning()
            },
            logger: logger
        )
    }
}
