internal import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// In network order: 4 or 16 bytes.
    package let bytes: [UInt8]

    /// Creates an address from its bytes; `nil` unless there are 4 or 16.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses `192.0.2.1` or `2001:db8::1`; `nil` for other strings, including short, octal and hexadecimal IPv4 forms.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        let isLong = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        guard inet_pton(isLong ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// The form for the log: four decimal numbers, or eight hexadecimal numbers without abbreviation.
    package var description: String {
        guard bytes.count == 16 else { return "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])" }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}

/// All addresses with the same leading bits.
package struct IPNetwork: Hashable, Sendable {
    /// The bits after ``length`` are 0.
    private let bytes: [UInt8]
    /// The length of the prefix in bits.
    private let length: Int

    /// Parses `10.0.0.0/8` or `fd00::/8`; `nil` for other strings.
    ///
    /// An address without a length is invalid, and so is an address with further bits set, such as `10.0.0.1/8`: a
    /// typing error must not allow more addresses than the operator intended.
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

    private init(bytes: [UInt8], length: Int) {
        self.bytes = bytes
        self.length = length
    }

    /// The network without the bits of an IPv6 prefix after the 64th.
    ///
    /// Limits count IPv6 clients by their 64-bit networks, of which a longer prefix contains only some addresses.
    package var clientNetwork: IPNetwork {
        guard bytes.count == 16, length > 64 else { return self }
        return IPNetwork(bytes: Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8), length: 64)
    }

    /// Creates a network from a literal in the source.
    init(known text: String) {
        guard let network = IPNetwork(text) else { preconditionFailure("\(text) is no network") }
        self = network
    }

    /// Whether the address has the same version and the same prefix.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        return bytes.indices.allSatisfy { index in
            address.bytes[index] & IPNetwork.mask(of: index, length) == bytes[index]
        }
    }

    /// The bits of a byte that belong to the first `length` bits.
    private static func mask(of index: Int, _ length: Int) -> UInt8 {
        let bits = min(max(length - index * 8, 0), 8)
        return ~UInt8(truncatingIfNeeded: 0xff >> bits)
    }
}
