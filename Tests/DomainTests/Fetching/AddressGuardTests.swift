import Domain
import Testing

@Suite struct AddressGuardTests {
    private func allows(_ text: String, _ networks: [String] = []) throws -> Bool {
        let networks = try networks.map { try #require(IPNetwork($0)) }
        return AddressGuard(allowedNetworks: networks).allows(try #require(IPAddress(text)))
    }

    @Test(
        "of version 4 the first and the last of each special network are refused, their public neighbours allowed",
        arguments: [
            ("0.0.0.0", false), ("0.0.0.1", false), ("0.255.255.255", false), ("1.0.0.0", true), ("8.8.8.8", true),
            ("9.255.255.255", true), ("10.0.0.0", false), ("10.255.255.255", false), ("11.0.0.0", true),
            ("100.63.255.255", true), ("100.64.0.0", false), ("100.127.255.255", false), ("100.128.0.0", true),
            ("126.255.255.255", true), ("127.0.0.0", false), ("127.0.0.1", false), ("127.255.255.255", false),
            ("128.0.0.0", true), ("169.253.255.255", true), ("169.254.0.0", false), ("169.254.169.254", false),
            ("169.254.255.255", false), ("169.255.0.0", true), ("172.15.255.255", true), ("172.16.0.0", false),
            ("172.31.255.255", false), ("172.32.0.0", true), ("191.255.255.255", true), ("192.0.0.0", false),
            ("192.0.0.255", false), ("192.0.1.0", true), ("192.0.1.255", true), ("192.0.2.0", false),
            ("192.0.2.255", false), ("192.0.3.0", true), ("192.88.98.255", true), ("192.88.99.0", false),
            ("192.88.99.255", false), ("192.88.100.0", true), ("192.167.255.255", true), ("192.168.0.0", false),
            ("192.168.255.255", false), ("192.169.0.0", true), ("198.17.255.255", true), ("198.18.0.0", false),
            ("198.19.255.255", false), ("198.20.0.0", true), ("198.51.99.255", true), ("198.51.100.0", false),
            ("198.51.100.255", false), ("198.51.101.0", true), ("203.0.112.255", true), ("203.0.113.0", false),
            ("203.0.113.255", false), ("203.0.114.0", true), ("223.255.255.255", true), ("224.0.0.0", false),
            ("239.255.255.255", false), ("240.0.0.0", false), ("255.255.255.254", false), ("255.255.255.255", false),
        ] as [(String, Bool)]
    )
    func short(address: String, expected: Bool) throws {
        #expect(try allows(address) == expected)
    }

    @Test(
        "of version 6 only global unicast is allowed, without its special networks",
        arguments: [
            ("::", false), ("::1", false), ("::2", false), ("::8.8.8.8", false), ("::255.255.255.255", false),
            ("100::", false), ("100::ffff:ffff:ffff:ffff", false), ("101::", false),
            ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2000::", true),
            ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("2001::", false), ("2001:0:ffff::1", false),
            ("2001:0:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2001:1::", false), ("2001:20::1", false),
            ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2001:200::", true), ("2001:4860:4860::8888", true),
            ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", true), ("2001:db8::", false),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", false), ("2001:db9::", true),
            ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("2003::", true), ("2606:4700:4700::1111", true),
            ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("3fff::", false),
            ("3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("3fff:1000::", true),
            ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("4000::", false),
            ("5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("5f00::", false), ("5f00:ffff::", false),
            ("5f01::", false), ("fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("fc00::", false),
            ("fd00:ec2::254", false), ("fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("fe00::", false),
            ("fe80::", false), ("febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("fec0::", false),
            ("feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("ff00::", false), ("ff0e::1", false),
            ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
        ] as [(String, Bool)]
    )
    func long(address: String, expected: Bool) throws {
        #expect(try allows(address) == expected)
    }

    @Test(
        "an address that carries one of version 4 is judged by that one",
        arguments: [
            // Mapped.
            ("::ffff:8.8.8.8", true), ("::ffff:0.0.0.0", false), ("::ffff:10.0.0.1", false),
            ("::ffff:127.0.0.1", false), ("::ffff:169.254.169.254", false), ("::ffff:192.168.0.1", false),
            ("::ffff:255.255.255.255", false), ("::fffe:8.8.8.8", false), ("::1:0:808:808", false),
            // Translated, which is another prefix.
            ("::ffff:0:8.8.8.8", false),
            // NAT64: the well-known prefix, and the one for local use.
            ("64:ff9b::8.8.8.8", true), ("64:ff9b::0.0.0.0", false), ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::127.0.0.1", false), ("64:ff9b::169.254.169.254", false), ("64:ff9b::255.255.255.255", false),
            ("64:ff9b::1:0:0", false), ("64:ff9b::1:808:808", false), ("64:ff9a::8.8.8.8", false),
            ("64:ff9b:1::", false), ("64:ff9b:1::8.8.8.8", false), ("64:ff9b:1:ffff:ffff:ffff:ffff:ffff", false),
            // 6to4.
            ("2002:808:808::", true), ("2002:808:808::1", true), ("2002::", false), ("2002:a00:1::1", false),
            ("2002:7f00:1::", false), ("2002:a9fe:a9fe::", false), ("2002:c0a8:1:ffff:ffff:ffff:ffff:ffff", false),
            ("2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
            // Teredo, whatever it carries.
            ("2001:0:808:808:0:0:f7f7:f7f7", false),
        ] as [(String, Bool)]
    )
    func wrapped(address: String, expected: Bool) throws {
        #expect(try allows(address) == expected)
    }

    @Test(
        "an open network opens its addresses and their mapped form, but no neighbour and no tunnel",
        arguments: [
            ("127.0.0.1", true), ("::ffff:127.0.0.1", true), ("127.0.0.0", false), ("127.0.0.2", false),
            ("::ffff:127.0.0.2", false), ("::127.0.0.1", false), ("64:ff9b::127.0.0.1", false),
            ("2002:7f00:1::", false), ("::1", false), ("8.8.8.8", true), ("fcff::1", false), ("fd00::", true),
            ("fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("fe00::", false), ("172.20.0.0", true),
            ("172.20.7.255", true), ("172.20.8.0", false),
        ] as [(String, Bool)]
    )
    func opened(address: String, expected: Bool) throws {
        #expect(try allows(address, ["127.0.0.1/32", "fd00::/8", "172.20.0.0/21"]) == expected)
    }

    @Test("a network of length 0 is every address of its version", arguments: [("10.0.0.1", true), ("fd00::1", false)])
    func all(address: String, expected: Bool) throws {
        #expect(try allows(address, ["0.0.0.0/0"]) == expected)
    }

    @Test(
        "a mapped network opens mapped addresses",
        arguments: [("::ffff:10.0.0.1", true), ("::ffff:127.0.0.1", false)]
    )
    func mappedNetwork(address: String, expected: Bool) throws {
        #expect(try allows(address, ["::ffff:10.0.0.0/104"]) == expected)
    }
}

@Suite struct IPNetworkTests {
    @Test(
        "what is not exactly a network is none",
        arguments: [
            "", "/", "/8", "nonsense", "localhost/8", "127.0.0.1", "::1", "127.0.0.1/", "127.0.0.1/33", "::1/129",
            "127.0.0.1/-1", "127.0.0.1/+8", "127.0.0.1/ 8", " 127.0.0.1/32", "127.0.0.1/32 ", "127.0.0.1/0x20",
            "127.0.0.1/8", "10.0.0.1/31", "fd00::1/8", "fe80::%lo/64", "127.0.0/24", "0x7f.0.0.0/8", "010.0.0.0/8",
            "2130706433/32", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "127.0.0.1\u{0}/32",
            "127.0.0.1/99999999999999999999",
        ]
    )
    func refused(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        "networks of any length are taken",
        arguments: [
            "0.0.0.0/0", "10.0.0.0/8", "172.16.0.0/12", "127.0.0.1/32", "::/0", "fd00::/8", "::1/128", "fe80::/10",
        ]
    )
    func taken(text: String) {
        #expect(IPNetwork(text) != nil)
    }
}

@Suite struct IPAddressTests {
    @Test("an address has 4 bytes or 16", arguments: [0, 3, 5, 15, 17])
    func refused(count: Int) {
        #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test(
        "bytes and text mean the same",
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1], "127.0.0.1"),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "0:0:0:0:0:0:0:1"),
            ("::ffff:10.0.0.1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1], "0:0:0:0:0:ffff:a00:1"),
        ] as [(String, [UInt8], String)]
    )
    func forms(text: String, bytes: [UInt8], description: String) {
        #expect(IPAddress(text) == IPAddress(bytes: bytes))
        #expect(IPAddress(text)?.description == description)
    }
}
