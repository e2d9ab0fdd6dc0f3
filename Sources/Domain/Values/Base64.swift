internal import FoundationEssentials

extension Sequence<UInt8> {
    /// The bytes in Base64's alphabet for URLs, padded (RFC 4648 section 5).
    package var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }
}

extension [UInt8] {
    /// Reads Base64 in either alphabet, padded or not, as SDKs write all four (protocol/files 2.6); `nil` if it is
    /// none.
    package init?(base64 text: some StringProtocol) {
        var standard = text.utf8.map { (byte: UInt8) -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let count = standard.count
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        // Foundation passes over what stands in the middle and is none.
        guard !standard.contains(UInt8(ascii: "=")), standard.count % 4 != 1, count - standard.count <= 2
        else { return nil }
        standard += repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(standard)) else { return nil }
        self.init(data)
    }
}
