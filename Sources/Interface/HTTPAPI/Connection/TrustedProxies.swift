package import Domain
internal import HTTPTypes

/// The reverse proxies that are believed when they name the client of a request, and the field in which they do.
///
/// Every client can send such a field. So a connection must come from a trusted proxy, and only what trusted proxies
/// added counts: the entries are read from the last one, which the nearest proxy added, to the first that is not the
/// address of a trusted proxy. Only one field is read, because a proxy passes on the other one as a client sent it.
package struct TrustedProxies: Sendable {
    /// The field with the addresses.
    package enum Field: String, Sendable, CaseIterable {
        /// Addresses with commas between them, as most proxies send them.
        case xForwardedFor = "X-Forwarded-For"
        /// RFC 7239.
        case forwarded = "Forwarded"
    }

    /// The networks of the proxies; empty if no proxy is trusted.
    package var networks: [IPNetwork] = []
    /// The field with the addresses.
    package var field = Field.xForwardedFor

    /// Creates the default: no proxy is trusted.
    package init() {}

    /// Parses networks and single addresses with commas between them; `nil` if one of them is neither.
    package static func networks(_ text: String) -> [IPNetwork]? {
        var networks: [IPNetwork] = []
        for part in text.split(separator: ",") {
            let name = part.filter { $0 != " " }
            let length = name.contains("/") ? "" : name.contains(":") ? "/128" : "/32"
            guard let network = IPNetwork(name + length) else { return nil }
            networks.append(network)
        }
        return networks
    }

    /// The client whom the field of a trusted proxy does not name: `0.0.0.0`, which no connection comes from.
    ///
    /// It is not the proxy, because addresses of the machine itself have privileges.
    static let unknownClient = IPAddress(bytes: [0, 0, 0, 0])

    /// Finds the client for which a trusted proxy sent a request.
    ///
    /// Without the field it is the proxy itself. Where a proxy names no address (`unknown`, a name of its own, a malformed
    /// entry), it is ``unknownClient``.
    ///
    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - headers: The fields of the request.
    /// - Returns: The client's address; `nil` if the connection is not from a trusted proxy.
    func client(behind peer: IPAddress, _ headers: HTTPFields) -> IPAddress? {
        client(behind: peer, lines: headers[values: .known(field.rawValue)])
    }

    /// Finds the client by the lines of the field.
    func client(behind peer: IPAddress, lines: [String]) -> IPAddress? {
        guard isTrusted(peer) else { return nil }
        var client = peer
        for line in lines.reversed() {
            for address in addresses(line).reversed() {
                guard let address else { return TrustedProxies.unknownClient }
                client = address
                if !isTrusted(client) { return client }
            }
        }
        return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    private func addresses(_ line: String) -> [IPAddress?] {
        switch field {
        case .xForwardedFor: ForwardedNode.addresses(inList: line)
        case .forwarded: ForwardedNode.addresses(inElements: line)
        }
    }
}
