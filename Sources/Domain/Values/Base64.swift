internal import FoundationEssentials

extension Sequence<UInt8> {
    /// The bytes in Base64's alphabet for URLs, padded (RFC 4648 section 5).
    package var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }
}

extension [UInt8] {
    /// Reads Base64 in either alphabet, padded or not, as SDKs write all four (file-protocol 2.6); nothing if it is none.
    package init?(base64 text: some StringProtocol) {
        var standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        while standard.last == "=" { standard.removeLast() }
        // Foundation passes over what stands in the middle and is none.
        guard !standard.contains("="), standard.utf8.count % 4 != 1,
            text.utf8.count - standard.utf8.count <= 2
        else { return nil }
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard) else { return nil }
        self.init(data)
    }
}
