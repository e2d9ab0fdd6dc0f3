internal import HTTPAPI
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import ServiceLifecycle

/// The listener without TLS that sends every client to the encrypted one (`tls.redirectPort`).
///
/// The status is 308 (RFC 9110 section 15.4.9), so that a client repeats its method and body there.
struct RedirectEndpoint {
    let configuration: ServerConfiguration
    let logger: Logger
    /// Called when the listener is ready.
    let onRunning: @Sendable () -> Void

    /// The maximum number of connections, which are part of the reserve of descriptors.
    static let maxConnections = 64
    /// The maximum number of connections of one client address.
    private static let maxConnectionsPerAddress = 8
    /// Seconds after which an idle connection is closed: there is nothing to keep it open for.
    private static let idleTimeout = 10

    func service() -> some Service {
        let responder = CallbackResponder<BasicRequestContext> { [configuration] request, _ in
            RedirectEndpoint.response(to: request.head, configuration)
        }
        let connections = OpenConnections()
        return Application(
            responder: responder,
            server: HTTPConnection.server(
                idleTimeout: .seconds(Int64(min(RedirectEndpoint.idleTimeout, configuration.http.idleTimeout))),
                connections: connections,
                addresses: AddressConnections(
                    most: RedirectEndpoint.maxConnectionsPerAddress,
                    exempt: configuration.http.proxies.networks
                ),
                logger: logger
            ),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.tls.redirectPort),
                serverName: "lcfile"
            ),
            onServerRunning: { [logger, onRunning] listener in
                // Fails only if the listener is already closed.
                try? await connections.bound(to: RedirectEndpoint.maxConnections, on: listener, logger: logger)
                onRunning()
            },
            logger: logger
        )
    }

    /// The response to a request, whose host and target the connection has checked.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - configuration: The URL of the server is `publicURL`, else the name that the client used, with `port`.
    /// - Returns: 308, or 400 for a client that names no host.
    static func response(to head: HTTPRequest, _ configuration: ServerConfiguration) -> Response {
        let base = configuration.publicURL ?? url(of: head.authority, port: configuration.port)
        guard let base else { return Response(status: .badRequest) }
        let target = head.path ?? "/"
        let location = base + (target.first == "/" ? target : "/")
        // The body of the request is for the other listener.
        let headers: HTTPFields = [.location: location, .contentLength: "0", .connection: "close"]
        return Response(status: .permanentRedirect, headers: headers)
    }

    /// The URL of the encrypted listener under the name that a client used; `nil` without a name (HTTP/1.0).
    private static func url(of authority: String?, port: Int) -> String? {
        guard let authority, !authority.isEmpty else { return nil }
        // An IPv6 address has colons of its own, and ends with a bracket.
        let colon = authority.lastIndex(of: ":")
        let hasPort = colon.map { !authority[$0...].contains("]") } ?? false
        let name = hasPort ? authority[..<(colon ?? authority.endIndex)] : authority[...]
        return "https://\(name)" + (port == 443 ? "" : ":\(port)")
    }
}
