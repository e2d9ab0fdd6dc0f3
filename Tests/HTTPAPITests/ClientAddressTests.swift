import NIOCore
import Testing

@testable import HTTPAPI

/// Which addresses count as one client.
@Suite struct ClientAddressTests {
    @Test(
        "an IPv4 address counts as itself, an IPv6 address as its network",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:0:0:0:0"), ("2001:db8:1:2::9", "2001:db8:1:2:0:0:0:0"),
            ("fe80::1%eth0", "fe80:0:0:0:0:0:0:0"),
        ]
    )
    func network(text: String, network: String) throws {
        #expect(ClientAddress.network(of: try #require(ClientAddress.address(of: text))) == network)
    }

    @Test(
        "the other end of a connection has the address that its text has",
        arguments: ["192.0.2.1", "0.0.0.0", "::ffff:192.0.2.1", "2001:db8:1:2:3:4:5:6", "::1"]
    )
    func host(text: String) throws {
        #expect(try SocketAddress(ipAddress: text, port: 258).host == ClientAddress.address(of: text))
    }

    @Test("a socket in the file system has no address")
    func noHost() throws {
        #expect(try SocketAddress(unixDomainSocketPath: "/run/lcfile").host == nil)
    }
}
