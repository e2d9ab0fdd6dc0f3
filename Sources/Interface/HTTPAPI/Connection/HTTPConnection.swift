package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTPTypes

/// Creates the server's connections: Hummingbird's handlers, plus TLS, HTTP/2, strict request parsing, `sendfile` and
/// `100 Continue`.
package enum HTTPConnection {
    /// The requests and responses of a connection of HTTP/1.1, or of a stream of HTTP/2, for Hummingbird.
    typealias Requests = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// - Parameters:
    ///   - idleTimeout: How long a connection can send no part of a request before it is closed.
    ///   - connections: The open connections; each connection adds itself.
    ///   - addresses: Limits the connections of each client address; `nil` for no limit.
    ///   - liveConnections: Accepts WebSockets; `nil` for none.
    ///   - hotDownloads: The prepared responses of downloads; `nil` for none.
    ///   - direct: Responds to direct requests; `nil` if all requests take the way of the decoder.
    ///   - metrics: Counts the requests.
    ///   - encryption: Encrypts the connections; `nil` for connections in the clear.
    ///   - http2: The limits of connections of HTTP/2, which clients can choose on encrypted connections.
    ///   - streams: Limits the requests at once of connections of HTTP/2.
    ///   - proxies: The reverse proxies that are believed when they name a client.
    ///   - requests: Receives the requests that get prepared responses; `nil` if no request is logged.
    ///   - logger: Receives failures of these responses.
    /// - Returns: The builder with which Hummingbird creates the server's connections.
    package static func server(
        idleTimeout: TimeAmount,
        connections: OpenConnections = OpenConnections(),
        addresses: AddressConnections? = nil,
        liveConnections: LiveConnections? = nil,
        hotDownloads: HotDownloads? = nil,
        direct: DirectResponder? = nil,
        metrics: RequestMetrics = RequestMetrics(),
        encryption: Encryption? = nil,
        http2: HTTP2Limits = HTTP2Limits(),
        streams: StreamLimit = StreamLimit(),
        proxies: TrustedProxies = TrustedProxies(),
        requests: RequestSink? = nil,
        logger: Logger
    ) -> HTTPServerBuilder {
        let services = ConnectionServices(
            idleTimeout: idleTimeout,
            connections: connections,
            liveConnections: liveConnections,
            hotDownloads: hotDownloads,
            direct: direct,
            metrics: metrics,
            encryption: encryption,
            http2: http2,
            streams: streams,
            log: HotDownloadLog(metrics: metrics, logger: logger, proxies: proxies, sink: requests)
        )
        return HTTPServerBuilder { responder in
            HTTPChannel(responder: PendingRecord.recording(responder), addresses: addresses, services: services)
        }
    }
}

/// What all connections of the server share.
struct ConnectionServices: Sendable {
    /// How long a connection can send no part of a request before it is closed.
    var idleTimeout = TimeAmount.seconds(60)
    var connections = OpenConnections()
    /// Accepts WebSockets; `nil` for none.
    var liveConnections: LiveConnections?
    /// The prepared responses of downloads; `nil` for none.
    var hotDownloads: HotDownloads?
    /// Responds to direct requests, if there are hot downloads; `nil` for none.
    var direct: DirectResponder?
    var metrics = RequestMetrics()
    /// Encrypts the connections; `nil` for connections in the clear.
    var encryption: Encryption?
    var http2 = HTTP2Limits()
    var streams = StreamLimit()
    /// Records hot downloads.
    var log: HotDownloadLog
    /// The values of `Date` for responses of routes.
    let dates = HTTPDates()

    /// How the files of responses are sent.
    var files: FileSending { encryption?.files ?? .kernel }
}
