internal import NIOCore
internal import NIOHTTP1

/// The handshake of a connection that becomes a WebSocket after the responses to all earlier requests.
struct PendingUpgrade {
    /// `nil` if the server has no live queries.
    private let connections: LiveConnections?
    private var upgrade: WebSocketUpgrade?
    /// Whether the whole request of the handshake has arrived, and the upgrade was not taken.
    private var isWhole = false

    /// - Parameter connections: `nil` accepts no handshake.
    init(_ connections: LiveConnections?) {
        self.connections = connections
    }

    /// Whether a handshake was accepted: the connection then has no further request.
    var isAccepted: Bool { upgrade != nil }

    /// Whether a request is a handshake, which a server that stops refuses.
    func isHandshake(_ head: HTTPRequestHead) -> Bool {
        connections != nil && WebSocketHandshake(head) != nil
    }

    /// Accepts a request if it is a handshake, and the limit of WebSockets allows another one.
    ///
    /// - Returns: Whether it was accepted; otherwise its route has to answer.
    mutating func accept(_ head: HTTPRequestHead, on channel: any Channel) -> Bool {
        guard let connections, let handshake = connections.accept(head, on: channel) else { return false }
        upgrade = WebSocketUpgrade(handshake: handshake, head: head, connections: connections)
        return true
    }

    /// Notes that the whole request of the accepted handshake has arrived.
    mutating func receivedWhole() {
        isWhole = isAccepted
    }

    /// The upgrade, once, if the whole request has arrived.
    mutating func takeWhole() -> WebSocketUpgrade? {
        guard isWhole else { return nil }
        isWhole = false
        return upgrade
    }
}
