internal import Domain
internal import NIOCore

extension Channel {
    /// The client's network address, by which shares of common resources are counted; `nil` without one.
    ///
    /// An IPv6 address counts as its 64-bit network, because one client can have all addresses of that network. Behind
    /// a reverse proxy it is the proxy's address: fields such as `X-Forwarded-For` are not read, because any client can
    /// send them.
    var clientAddress: String? {
        guard let text = remoteAddress?.ipAddress else { return nil }
        return ClientAddress.network(of: text)
    }

    /// The identity of the connection's client before authentication.
    var unknownClient: CallerIdentity { .guest(address: clientAddress ?? "") }
}

enum ClientAddress {
    /// The network of an address string: IPv4 unchanged, IPv6 as its 64-bit network.
    static func network(of text: String) -> String {
        // A zone (fe80::1%eth0) does not identify a client.
        guard let address = IPAddress(String(text.prefix { $0 != "%" })) else { return text }
        let bytes = address.bytes
        guard bytes.count == 16 else { return address.description }
        // A socket for both versions shows IPv4 as ::ffff:192.0.2.1 (RFC 4291, 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff,
            let short = IPAddress(bytes: Array(bytes.suffix(4)))
        {
            return short.description
        }
        let network = IPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
        return network?.description ?? text
    }
}
