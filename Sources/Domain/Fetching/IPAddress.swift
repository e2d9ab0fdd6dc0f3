internal import Glibc

/// An address of the Internet Protocol, of version 4 or 6.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// In network order: 4 of them, or 16.
    package let bytes: [UInt8]

    /// Takes the bytes of an address, or `nil` if they are neither 4 nor 16.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Takes `192.0.2.1` or `2001:db8::1`, or nothing: shorter, octal and hexadecimal forms of the former are none.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        let isLong = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        guard inet_pton(isLong ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// For the log: four numbers, or eight hexadecimal ones, none left out.
    package var description: String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}

/// All addresses that begin with the same bits.
package struct IPNetwork: Hashable, Sendable {
    /// Those behind ``length`` are 0.
    private let bytes: [UInt8]
    /// In bits.
    private let length: Int

    /// Takes `10.0.0.0/8` or `fd00::/8`, or nothing.
    ///
    /// An address without a length is none, and neither is one with bits behind it, such as `10.0.0.1/8`: an operator
    /// who opens a network must not open more than was meant.
    package init?(_ text: String) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let address = IPAddress(String(halves[0])),
            !halves[1].isEmpty, halves[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let length = Int(halves[1]), length <= address.bytes.count * 8
        else { return nil }
        let isClean = address.bytes.enumerated().allSatisfy { index, byte in
            byte & ~IPNetwork.mask(of: index, length) == 0
        }
        guard isClean else { return nil }
        bytes = address.bytes
        self.length = length
    }

    /// Takes a network that stands in the source.
    init(known text: String) {
        guard let network = IPNetwork(text) else { preconditionFailure("\(text) is no network") }
        self = network
    }

    /// Whether the address, of the same version, is one of the network.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        return bytes.indices.allSatisfy { index in
            address.bytes[index] & IPNetwork.mask(of: index, length) == bytes[index]
        }
    }

    /// The bits of a byte that belong to the first `length` bits of all.
    private static func mask(of index: Int, _ length: Int) -> UInt8 {
        let bits = min(max(length - index * 8, 0), 8)
        return ~UInt8(truncatingIfNeeded: 0xff >> bits)
    }
}
