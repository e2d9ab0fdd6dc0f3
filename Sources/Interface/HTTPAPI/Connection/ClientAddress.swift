internal import Domain
internal import NIOCore

extension Channel {
    /// The network address of the client at the other end, for shares of what all clients use; nil without one.
    ///
    /// Of an IPv6 address its network of 64 bits, because a client may have all addresses of that. Behind a reverse
    /// proxy it is the proxy's: fields such as `X-Forwarded-For` are not read, because any client can send them.
    var clientAddress: String? {
        guard let text = remoteAddress?.ipAddress else { return nil }
        return ClientAddress.network(of: text)
    }

    /// The client of the connection before it is authenticated.
    var unknownClient: CallerIdentity { .guest(address: clientAddress ?? "") }
}

enum ClientAddress {
    /// What an address in text counts as: IPv4 as it is, IPv6 as its network of 64 bits.
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
