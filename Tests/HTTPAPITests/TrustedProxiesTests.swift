import Domain
import HTTPTypes
import Testing

@testable import HTTPAPI

/// Who is the client of a request that came through proxies.
@Suite struct TrustedProxiesTests {
    /// The client that the proxies 10.0.0.0/8 and fd00::/8 name.
    private func client(of peer: String, _ fields: [(String, String)], by field: TrustedProxies.Field) throws -> String?
    {
        var proxies = TrustedProxies()
        proxies.networks = try #require(TrustedProxies.networks("10.0.0.0/8, fd00::/8"))
        proxies.field = field
        var headers = HTTPFields()
        for (name, value) in fields { headers.append(HTTPField(name: .known(name), value: value)) }
        let peer = try #require(ClientAddress.address(of: peer))
        return proxies.client(behind: peer, headers)?.description
    }

    @Test(
        "the last entry that no trusted proxy has is the client",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("198.51.100.9, 192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.0.0.7", "192.0.2.1"),
            ("198.51.100.9,192.0.2.1 ,\t10.0.0.7, 10.1.1.1", "192.0.2.1"), ("10.0.0.3, 10.0.0.7", "10.0.0.3"),
            ("192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:4711", "2001:db8:0:0:0:0:0:1"),
            ("2001:db8::1", "2001:db8:0:0:0:0:0:1"), ("[2001:db8::1]", "2001:db8:0:0:0:0:0:1"),
            ("2001:db8::1, fd00::9", "2001:db8:0:0:0:0:0:1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("", "0.0.0.0"), ("unknown", "0.0.0.0"), ("192.0.2.1, unknown", "0.0.0.0"),
            ("192.0.2.1, unknown, 10.0.0.7", "0.0.0.0"), ("192.0.2.1,", "0.0.0.0"),
            ("192.0.2.1 10.0.0.7", "0.0.0.0"),
            ("192.0.2.256", "0.0.0.0"), ("192.0.2.1:x", "0.0.0.0"), ("192.0.2.1:123456", "0.0.0.0"),
            ("[192.0.2.1]", "0.0.0.0"), ("[2001:db8::1", "0.0.0.0"), ("[2001:db8::1]4711", "0.0.0.0"),
        ]
    )
    func forwardedFor(value: String, expected: String) throws {
        #expect(try client(of: "10.0.0.1", [("X-Forwarded-For", value)], by: .xForwardedFor) == expected)
    }

    @Test(
        "bytes that a client sent hide no entry of a proxy, and become no address",
        arguments: [
            ("127.0.0.1%\u{600}, 192.0.2.1", "192.0.2.1"), ("127.0.0.1%\u{600}, 192.0.2.1, 10.0.0.7", "192.0.2.1"),
            ("\"\u{110bd}, 192.0.2.1", "192.0.2.1"), ("127.0.0.1%\u{600}, 10.0.0.7", "0.0.0.0"),
            ("127.0.0.1\u{600}", "0.0.0.0"), ("127.0.0.1%eth0", "0.0.0.0"),
            ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1"), ("fe80::1%", "0.0.0.0"), ("fe80::1%a b", "0.0.0.0"),
            ("fe80::1%a%b", "0.0.0.0"),
        ]
    )
    func hidden(value: String, expected: String) throws {
        #expect(try client(of: "10.0.0.1", [("X-Forwarded-For", value)], by: .xForwardedFor) == expected)
    }

    @Test("several lines are one list")
    func lines() throws {
        let lines = [("X-Forwarded-For", "198.51.100.9"), ("x-forwarded-for", "192.0.2.1, 10.0.0.7")]
        #expect(try client(of: "10.0.0.1", lines, by: .xForwardedFor) == "192.0.2.1")
    }

    @Test(
        "Forwarded is read by RFC 7239",
        arguments: [
            ("for=192.0.2.1", "192.0.2.1"), ("For=192.0.2.1;proto=https;by=10.0.0.7", "192.0.2.1"),
            ("proto=https; for=\"192.0.2.1:4711\"", "192.0.2.1"),
            ("for=\"[2001:db8::1]:4711\", for=10.0.0.7", "2001:db8:0:0:0:0:0:1"),
            ("for=198.51.100.9, for=192.0.2.1;host=\"a,b;for=10.9.9.9\", for=10.0.0.7", "192.0.2.1"),
            ("for=192.0.2.1, for=_hidden", "0.0.0.0"), ("for=192.0.2.1, for=unknown, for=10.0.0.7", "0.0.0.0"),
            ("for=192.0.2.1, proto=https", "0.0.0.0"), ("for=192.0.2.1;for=192.0.2.2", "0.0.0.0"),
            ("for=192.0.2.1;host=\"open", "0.0.0.0"), ("192.0.2.1", "0.0.0.0"), ("", "0.0.0.0"),
            ("for=\", for=192.0.2.1", "192.0.2.1"), ("for=\", for=192.0.2.1, for=\"10.0.0.7\"", "192.0.2.1"),
            ("for=\", for=10.0.0.7", "0.0.0.0"), ("for=127.0.0.1\u{600}, for=192.0.2.1", "192.0.2.1"),
            ("for=\"\\, for=192.0.2.1;host=\"a\\\", for=127.0.0.1\"", "192.0.2.1"),
            ("for=192.0.2.1;host=\"a\\\\\"", "192.0.2.1"), ("for=127.0.0.1;host=\"\u{600}\"", "0.0.0.0"),
        ]
    )
    func forwarded(value: String, expected: String) throws {
        #expect(try client(of: "10.0.0.1", [("Forwarded", value)], by: .forwarded) == expected)
    }

    @Test("a connection that is not from a trusted proxy is its own client", arguments: ["192.0.2.9", "2001:db8::9"])
    func untrusted(peer: String) throws {
        let fields = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1")]
        for field in TrustedProxies.Field.allCases { #expect(try client(of: peer, fields, by: field) == nil) }
    }

    @Test("a malformed field does not make a client the proxy itself", arguments: TrustedProxies.Field.allCases)
    func malformed(field: TrustedProxies.Field) throws {
        var proxies = TrustedProxies()
        proxies.networks = try #require(TrustedProxies.networks("127.0.0.1"))
        proxies.field = field
        let peer = try #require(IPAddress("127.0.0.1"))
        for value in ["", "\"", "for=\"", "for=127.0.0.1%\u{600}", "127.0.0.1%\u{600}", "unknown", "for=unknown"] {
            #expect(proxies.client(behind: peer, lines: [value]) == TrustedProxies.unknownClient)
        }
        #expect(TrustedProxies.unknownClient?.description == "0.0.0.0")
        #expect(proxies.client(behind: peer, lines: []) == peer)
    }

    @Test("only the field of the setting is read")
    func otherField() throws {
        #expect(try client(of: "10.0.0.1", [("Forwarded", "for=192.0.2.1")], by: .xForwardedFor) == "10.0.0.1")
        #expect(try client(of: "10.0.0.1", [("X-Forwarded-For", "192.0.2.1")], by: .forwarded) == "10.0.0.1")
    }

    @Test("a proxy that connects by IPv6 with an IPv4 address is trusted")
    func mappedPeer() throws {
        #expect(
            try client(of: "::ffff:10.0.0.1", [("X-Forwarded-For", "192.0.2.1")], by: .xForwardedFor) == "192.0.2.1"
        )
    }

    @Test(
        "networks and single addresses are read, and nothing else",
        arguments: [
            ("127.0.0.1", 1), ("::1", 1), ("127.0.0.1, 10.0.0.0/8,fd00::/8", 3), ("10.0.0.1/8", nil),
            ("localhost", nil),
            ("127.0.0.1/33", nil), ("127.0.0.1 10.0.0.1", nil),
        ] as [(String, Int?)]
    )
    func networks(text: String, count: Int?) {
        #expect(TrustedProxies.networks(text)?.count == count)
    }
}
