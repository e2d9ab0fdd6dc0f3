import Domain
import Testing

@Suite struct PreviewAddressTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_500)

    @Test("an address has app, file, expiry and signature, and is valid until it expires")
    func valid() throws {
        let addresses = try address()
        let file = try #require(ObjectID("653f00000000000000000001"))
        let parts = try segments(of: addresses.path(of: file, for: 600, from: now))
        #expect(parts.dropLast() == ["1.1", "censorship", "files", "app-1", file.description, "1700000600"])
        #expect(parts.last?.count == 64)
        for seconds in [-85_800, 0, 599] as [Int64] {
            let time = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
            let found = try addresses.verified(file: parts[4], expires: parts[5], signature: parts[6], at: time)
            #expect(found == file)
        }
    }

    @Test(
        "an address is refused after its expiry and more than a day before",
        arguments: [600, 601, 90_000, -85_801] as [Int64]
    )
    func otherTimes(seconds: Int64) throws {
        let addresses = try address()
        let parts = try segments(of: addresses.path(of: file(), for: 600, from: now))
        expectRefusal(addresses, parts[4], parts[5], parts[6], at: seconds)
    }

    @Test(
        "no address lives longer than a day",
        arguments: [(86_400, 86_400), (86_401, 86_400), (.max, 86_400)] as [(Int64, Int64)]
    )
    func life(seconds: Int64, expected: Int64) throws {
        let parts = try segments(of: address().path(of: file(), for: seconds, from: now))
        #expect(parts[5] == String(1_700_000_000 + expected))
    }

    @Test(
        "another expiry is refused, also another form of the same time",
        arguments: [
            "1700000601", "1700000599", "1700086400", "01700000600", "+1700000600", " 1700000600", "1700000600.0", "",
            "9223372036854775807", "-1", "x",
        ]
    )
    func expiries(expires: String) throws {
        let addresses = try address()
        let parts = try segments(of: addresses.path(of: file(), for: 600, from: now))
        expectRefusal(addresses, parts[4], expires, parts[6])
    }

    @Test(
        "another file is refused",
        arguments: ["653f00000000000000000002", "653F00000000000000000001", "", "a/b", "653f0000000000000000000１"]
    )
    func files(file: String) throws {
        let addresses = try address()
        let parts = try segments(of: addresses.path(of: self.file(), for: 600, from: now))
        expectRefusal(addresses, file, parts[5], parts[6])
    }

    @Test("every change of the signature is refused, also capital digits")
    func signatures() throws {
        let addresses = try address()
        let parts = try segments(of: addresses.path(of: file(), for: 600, from: now))
        let digits = Array(parts[6].utf8)
        for index in digits.indices {
            var other = digits
            other[index] = other[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            expectRefusal(addresses, parts[4], parts[5], String(decoding: other, as: UTF8.self))
        }
        for signature in ["", "00", parts[6].uppercased(), parts[6] + "00", String(parts[6].dropLast(2)), "nonsense"] {
            expectRefusal(addresses, parts[4], parts[5], signature)
        }
    }

    @Test(
        "an address of another app or another master key is refused",
        arguments: [("app-2", "master key"), ("app-1", "master Key"), ("app-1", "")]
    )
    func keys(app: String, masterKey: String) throws {
        let parts = try segments(of: address().path(of: file(), for: 600, from: now))
        expectRefusal(try address(app, masterKey), parts[4], parts[5], parts[6])
    }

    private func address(_ app: String = "app-1", _ masterKey: String = "master key") throws -> PreviewAddress {
        PreviewAddress(app: try #require(AppID(app)), masterKey: Secret(masterKey))
    }

    private func file() throws -> ObjectID {
        try #require(ObjectID("653f00000000000000000001"))
    }

    private func segments(of path: String) throws -> [String] {
        let parts = path.split(separator: "/").map(String.init)
        try #require(parts.count == 7)
        return parts
    }

    private func expectRefusal(
        _ addresses: PreviewAddress,
        _ file: String,
        _ expires: String,
        _ signature: String,
        at seconds: Int64 = 0
    ) {
        let time = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
        let error = #expect(throws: ServiceError.self) {
            try addresses.verified(file: file, expires: expires, signature: signature, at: time)
        }
        #expect(error?.code == .forbidden)
    }
}
