internal import Domain
internal import NIOCore

extension APIContext {
    /// The client's network address, by which shares of common resources are counted; `nil` without one.
    ///
    /// An IPv6 address counts as its 64-bit network, because one client can have all addresses of that network. Behind
    /// a reverse proxy that is not trusted (``TrustedProxies``) it is the proxy's address.
    var clientAddress: String? {
        if let forwardedClient { return ClientAddress.network(of: forwardedClient) }
        guard let text = channel.remoteAddress?.ipAddress else { return nil }
        return ClientAddress.network(of: text)
    }

    /// The identity of the client before authentication.
    var unknownClient: CallerIdentity { .guest(address: clientAddress ?? "") }
}

enum ClientAddress {
    /// The address in a string; `nil` for other strings.
    ///
    /// A zone (`fe80::1%eth0`) does not identify a client, and IPv4 in the form of IPv6 (RFC 4291, 2.5.5.2), as a
    /// socket for both versions shows it, is IPv4.
    static func address(of text: String) -> IPAddress? {
        guard let address = IPAddress(String(text.prefix { $0 != "%" })) else { return nil }
        let bytes = address.bytes
        guard bytes.count == 16, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff else {
            return address
        }
        return IPAddress(bytes: Array(bytes.suffix(4)))
    }

    /// The network of an address string: IPv4 unchanged, IPv6 as its 64-bit network.
    static func network(of text: String) -> String {
        address(of: text).map { network(of: $0) } ?? text
    }

    /// The network of an address: IPv4 unchanged, IPv6 as its 64-bit network.
    static func network(of address: IPAddress) -> String {
        guard address.bytes.count == 16 else { return address.description }
        let network = IPAddress(bytes: address.bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
        return (network ?? address).description
    }
}
