internal import Domain
internal import HTTPTypes
internal import NIOCore

extension APIContext {
    /// The client's address, or its network, by which limits count; `nil` without one.
    package var clientNetwork: String? { clientAddress }

    /// Whether the client is on this machine: the connection, or the client that a trusted proxy named.
    ///
    /// A proxy on this machine that is not trusted looks like a client on this machine.
    package var isOnThisMachine: Bool {
        let peer = channel.remoteAddress?.host
        guard let address = forwardedClient ?? peer else { return false }
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        return address.bytes.count == 4 ? address.bytes[0] == 127 : address.bytes == loopback
    }

    /// Notes the client for which a trusted proxy sent the request.
    mutating func noteClient(namedBy proxies: TrustedProxies, in headers: HTTPFields) {
        guard !proxies.networks.isEmpty, let peer = channel.remoteAddress?.host else { return }
        forwardedClient = proxies.client(behind: peer, headers)
        isClientNamed = forwardedClient != nil && headers.contains(.known(proxies.field.rawValue))
    }
}
