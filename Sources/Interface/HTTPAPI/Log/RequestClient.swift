internal import Domain
internal import NIOCore

/// The client of a request, for the log.
package struct RequestClient: Sendable, CustomStringConvertible {
    private enum Source: Sendable {
        case unknown
        case peer(SocketAddress)
        case forwarded(IPAddress)
        case lines([String], SocketAddress, TrustedProxies)
    }

    private let source: Source

    /// No address, as of a connection that is closed.
    static let unknown = RequestClient(source: .unknown)

    /// The other end of the connection.
    static func peer(_ address: SocketAddress) -> RequestClient { RequestClient(source: .peer(address)) }

    /// The client that a trusted proxy named.
    static func forwarded(_ address: IPAddress) -> RequestClient { RequestClient(source: .forwarded(address)) }

    /// The client that a proxy names in the lines of a field, if it is trusted; they are parsed when the address is
    /// needed.
    static func named(in lines: [String], by peer: SocketAddress, _ proxies: TrustedProxies) -> RequestClient {
        RequestClient(source: .lines(lines, peer, proxies))
    }

    /// The address; `-` without one.
    package var description: String {
        switch source {
        case .unknown: "-"
        case .peer(let address): RequestClient.text(of: address)
        case .forwarded(let address): address.description
        case .lines(let lines, let peer, let proxies):
            peer.host
                .flatMap { proxies.client(behind: $0, lines: lines) }?.description
                ?? RequestClient.text(of: peer)
        }
    }

    /// The number of bytes of lines that are not parsed yet.
    package var size: Int {
        guard case .lines(let lines, _, _) = source else { return 0 }
        return lines.reduce(0) { $0 + $1.utf8.count }
    }

    private static func text(of address: SocketAddress) -> String {
        address.host?.description ?? "-"
    }
}

extension APIContext {
    /// The client for the log: the whole address, where ``clientAddress`` is the network by which limits count.
    var client: RequestClient {
        if let forwardedClient { return .forwarded(forwardedClient) }
        return channel.remoteAddress.map(RequestClient.peer) ?? .unknown
    }
}
