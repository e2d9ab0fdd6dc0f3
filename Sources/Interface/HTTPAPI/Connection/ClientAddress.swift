internal import Domain
internal import NIOCore

extension APIContext {
    /// The client's network address, by which shares of common resources are counted; `nil` without one.
    ///
    /// An IPv6 address counts as its 64-bit network, because one client can have all addresses of that network. Behind
    /// a reverse proxy that is not trusted (``TrustedProxies``) it is the proxy's address.
    var clientAddress: String? {
        (forwardedClient ?? channel.remoteAddress?.host).map(ClientAddress.network)
    }

    /// The identity of the client before authentication.
    var unknownClient: CallerIdentity { .guest(address: clientAddress ?? "") }
}

enum ClientAddress {
    /// The address in a string; `nil` for other strings.
    ///
    /// The zone of an IPv6 address (`fe80::1%eth0`, RFC 6874: letters, digits and `-._~`) does not identify a client, and
    /// IPv4 in the form of IPv6 (RFC 4291, 2.5.5.2), as a socket for both versions shows it, is IPv4.
    static func address(of text: String) -> IPAddress? {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(Substring(parts[0]))) else { return nil }
        if parts.count > 1 {
            guard address.bytes.count == 16, !parts[1].isEmpty, parts[1].allSatisfy(isZoneCharacter) else { return nil }
        }
        return unmapped(address)
    }

    private static func isZoneCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2); others unchanged.
    fileprivate static func unmapped(_ address: IPAddress) -> IPAddress {
        let bytes = address.bytes
        guard bytes.count == 16, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff else {
            return address
        }
        return IPAddress(bytes: Array(bytes.suffix(4))) ?? address
    }

    /// The network of an address: IPv4 unchanged, IPv6 as its 64-bit network.
    static func network(of address: IPAddress) -> String {
        guard address.bytes.count == 16 else { return address.description }
        let network = IPAddress(bytes: address.bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
        return (network ?? address).description
    }
}

extension SocketAddress {
    /// The address without its port, as ``ClientAddress/address(of:)`` finds it in a string; `nil` for a socket in the file
    /// system.
    ///
    /// From the bytes, because each request needs it, and text would be written and parsed.
    var host: IPAddress? {
        switch self {
        // `sin_addr` of ip(7), and `sin6_addr` of ipv6(7).
        case .v4(let address): withUnsafeBytes(of: address.address) { IPAddress(bytes: Array($0[4..<8])) }
        case .v6(let address):
            withUnsafeBytes(of: address.address) { IPAddress(bytes: Array($0[8..<24])) }.map(ClientAddress.unmapped)
        case .unixDomainSocket: nil
        }
    }
}
