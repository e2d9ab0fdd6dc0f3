internal import FoundationEssentials

extension Sequence<UInt8> {
    /// The bytes in the URL-safe Base64 alphabet, padded (RFC 4648 section 5).
    package var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }
}

extension [UInt8] {
    /// Decodes Base64 in either alphabet, padded or not, because SDKs write all four forms (protocol/files 2.6).
    ///
    /// `nil` if the string is not Base64.
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
        // Foundation ignores invalid characters in the middle.
        guard !standard.contains(UInt8(ascii: "=")), standard.count % 4 != 1, count - standard.count <= 2
        else { return nil }
        standard += repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(standard)) else { return nil }
        self.init(data)
    }
}
