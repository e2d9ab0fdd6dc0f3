internal import CoreMetrics
package import Domain
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import RealtimeMessages

/// What the WebSockets of live queries share: the services of the apps, the limits, the number of open ones, and the
/// memory of the events that wait; thread-safe.
package final class LiveConnections: Sendable {
    let services: [AppID: LiveQueryService]
    let limits: LiveQueryLimits
    let logger: Logger
    /// The maximum number of open WebSockets of all apps.
    let most: Int
    private let proxies: TrustedProxies
    private let requestLimits: RequestLimits
    /// The open WebSockets; also those without a log-in, which no service knows.
    private let open: LiveBudget
    /// The memory of the events that wait for all clients.
    let queues: LiveQueueMemory
    /// The messages that clients sent, and those that they were sent.
    package let messages = (received: EventCount(), sent: EventCount())

    /// - Parameters:
    ///   - services: The services of the apps that have live queries; all have the same limits.
    ///   - most: The maximum number of open WebSockets, of which clients at one address can have a quarter; the other
    ///     connections of the server are for requests, because WebSockets are never closed to accept another client.
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
        self.open = LiveBudget(limit: most)
        queues = LiveQueueMemory(limit: limits.queuedMemory)
        self.logger = logger
    }

    /// The number of open WebSockets and its maximum.
    package var sockets: (open: Int, limit: Int) { (open.used, most) }

    /// The error for a further WebSocket of a client; `nil` if it can be opened.
    ///
    /// - Parameter client: The network address of the client.
    /// - Returns: The error, which names the limit.
    func refusal(of client: String?) -> ServiceError? {
        let limit = "the limit (seven eighths of http.maxConnections)"
        let message: String
        switch open.exhausted(for: requestLimits.limited(client)) {
        case nil: return nil
        case .limit: message = "\(most) WebSockets are open, \(limit)."
        case .share: message = "Clients at this address have \(open.share) WebSockets, their share of \(limit)."
        }
        return ServiceError(.overloaded, message, limit: "http.maxConnections")
    }

    /// Accepts a request as the handshake of a WebSocket, which counts until its channel is closed; `nil` if the route
    /// has to answer.
    func accept(_ head: HTTPRequestHead, on channel: any Channel) -> WebSocketHandshake? {
        guard var handshake = WebSocketHandshake(head) else { return nil }
        let address = address(of: head, on: channel)
        guard open.take(for: address) else { return nil }
        channel.closeFuture.whenComplete { [open] _ in open.release(for: address) }
        handshake.address = address
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
