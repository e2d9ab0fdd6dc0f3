import Testing

@testable import HTTPAPI

/// Which addresses count as one client.
@Suite struct ClientAddressTests {
    @Test(
        "an IPv4 address counts as itself, an IPv6 address as its network",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:0:0:0:0"), ("2001:db8:1:2::9", "2001:db8:1:2:0:0:0:0"),
            ("fe80::1%eth0", "fe80:0:0:0:0:0:0:0"), ("pipe", "pipe"),
        ]
    )
    func network(text: String, network: String) {
        #expect(ClientAddress.network(of: text) == network)
    }
}
