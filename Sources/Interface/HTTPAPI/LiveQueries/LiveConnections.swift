internal import CoreMetrics
package import Domain
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import RealtimeMessages
internal import Synchronization

/// What the WebSockets of live queries share: the services of the apps, the limits, and the number of open ones;
/// thread-safe.
package final class LiveConnections: Sendable {
    let services: [AppID: LiveQueryService]
    let limits: LiveQueryLimits
    let logger: Logger
    /// The maximum number of open WebSockets of all apps.
    let most: Int
    private let proxies: TrustedProxies
    private let requestLimits: RequestLimits
    private let open = Atomic<Int>(0)
    /// The messages that clients sent, and those that they were sent.
    package let messages = (received: EventCount(), sent: EventCount())

    /// - Parameters:
    ///   - services: The services of the apps that have live queries; all have the same limits.
    ///   - most: The maximum number of open WebSockets; the other connections of the server are for requests, because
    ///     WebSockets are never closed to accept another client.
    ///   - proxies: The reverse proxies that are believed when they name a client.
    ///   - requestLimits: Knows which client addresses have limits.
    ///   - logger: Records connections that are closed because of their client.
    init(
        services: [AppID: LiveQueryService],
        most: Int,
        proxies: TrustedProxies = TrustedProxies(),
        requestLimits: RequestLimits = RequestLimits(),
        logger: Logger
    ) {
        self.proxies = proxies
        self.requestLimits = requestLimits
        self.services = services
        limits = services.values.first?.limits ?? LiveQueryLimits()
        self.most = most
        self.logger = logger
    }

    /// The number of open WebSockets and its maximum.
    package var sockets: (open: Int, limit: Int) { (open.load(ordering: .relaxed), most) }

    /// Whether the maximum number of WebSockets is open.
    var isFull: Bool { open.load(ordering: .relaxed) >= most }

    /// Accepts a request as the handshake of a WebSocket, which counts until its channel is closed; `nil` if the route
    /// has to answer.
    func accept(_ head: HTTPRequestHead, on channel: any Channel) -> WebSocketHandshake? {
        guard var handshake = WebSocketHandshake(head) else { return nil }
        guard open.add(1, ordering: .relaxed).newValue <= most else {
            open.subtract(1, ordering: .relaxed)
            return nil
        }
        channel.closeFuture.whenComplete { [self] _ in open.subtract(1, ordering: .relaxed) }
        handshake.address = address(of: head, on: channel)
        return handshake
    }

    /// The client address by which limits count; `nil` if it has no limit.
    private func address(of head: HTTPRequestHead, on channel: any Channel) -> String? {
        guard let peer = channel.remoteAddress?.host else { return nil }
        let client = proxies.client(behind: peer, lines: head.headers[proxies.field.rawValue]) ?? peer
        return requestLimits.limited(ClientAddress.network(of: client))
    }

    /// Counts a client that read so slowly that its events were dropped.
    func noteSlowClient(of app: AppID) {
        Counter(label: "lcfile_live_queries_slow_clients_total", dimensions: [("app", app.description)]).increment()
        logger.debug("A client of live queries reads too slowly", metadata: ["app": "\(app)"])
    }
}
