/// Decides to which addresses a fetch is allowed to connect.
///
/// It checks the address itself, when the connection is opened: a name can resolve to another address between two
/// lookups, and an address has too many notations to list. It refuses every address that is not routed in the public
/// Internet, and every address that embeds such an address.
package struct AddressGuard: Sendable {
    private let allowedNetworks: [IPNetwork]

    /// - Parameter allowedNetworks: Networks that the operator allows in addition to the public Internet.
    package init(allowedNetworks: [IPNetwork] = []) {
        self.allowedNetworks = allowedNetworks
    }

    /// Whether the address is public or in an allowed network.
    ///
    /// An allowed IPv4 network also covers its addresses in the form `::ffff:192.0.2.1`, which connects to the same
    /// host, but not tunnels to them.
    package func allows(_ address: IPAddress) -> Bool {
        let forms = [address] + (mapped.contains(address) ? [address.inner(at: 12)] : [])
        return allowedNetworks.contains { forms.contains(where: $0.contains) } || address.isPublic
    }
}

private let mapped = IPNetwork(known: "::ffff:0:0/96")

/// Networks whose addresses contain an IPv4 address, with its offset: mapped, NAT64 (RFC 6052), 6to4 (RFC 3056).
private let wrappings: [(network: IPNetwork, offset: Int)] = [
    (mapped, 12), (IPNetwork(known: "64:ff9b::/96"), 12), (IPNetwork(known: "2002::/16"), 2),
]

/// The prefix of public IPv6 addresses; every other prefix is reserved, local, multicast or for translators.
private let globalUnicast = IPNetwork(known: "2000::/3")

/// The networks of IANA's special-purpose registries that are not globally reachable.
private let closed = [
    // "This network", private networks (RFC 1918), carrier-grade NAT (RFC 6598), loopback, link-local.
    "0.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    // Protocol assignments, documentation, 6to4 relays, benchmarks, multicast, reserved and broadcast.
    "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "192.88.99.0/24", "198.18.0.0/15",
    "224.0.0.0/4", "240.0.0.0/4",
    // Protocol assignments (Teredo, ORCHID and others) and documentation.
    "2001::/23", "2001:db8::/32", "3fff::/20",
].map { IPNetwork(known: $0) }

extension IPAddress {
    /// Whether the address is in a public range.
    fileprivate var isPublic: Bool {
        if let wrapping = wrappings.first(where: { $0.network.contains(self) }) {
            return inner(at: wrapping.offset).isPublic
        }
        return (bytes.count == 4 || globalUnicast.contains(self)) && !closed.contains { $0.contains(self) }
    }

    /// The IPv4 address at an offset in this IPv6 address.
    fileprivate func inner(at offset: Int) -> IPAddress {
        // Four bytes are always an address, and only IPv6 addresses are in the networks above.
        IPAddress(bytes: Array(bytes[offset..<offset + 4])) ?? self
    }
}
