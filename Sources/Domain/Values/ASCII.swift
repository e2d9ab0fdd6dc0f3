extension UInt8 {
    /// `0-9`, `A-Z` or `a-z`.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// A character that RFC 3986 section 2.3 lets stand in a URL as it is.
    package var isURLUnreserved: Bool {
        isASCIIAlphanumeric
            || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(self)
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(underestimatedCount * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// The bytes that pairs of hexadecimal digits stand for, or `nil` if something else is in the text.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.map(hexadecimalValue)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(high << 4 | low)
        }
    }
}

extension StringProtocol {
    /// The text with every byte but unreserved characters and `/` as `%XX` (RFC 3986 section 2.1).
    package var percentEncodedPath: String {
        var text: [UInt8] = []
        for byte in utf8 {
            if byte.isURLUnreserved || byte == UInt8(ascii: "/") {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(contentsOf: [byte].hexadecimal.uppercased().utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The text with each `%XX` as its byte, or `nil` if an escape is broken or the result is not UTF-8.
    package var percentDecoded: String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexadecimalValue), let low = rest.next().flatMap(hexadecimalValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether a C0 or C1 control character, DEL or a line separator is anywhere in the text.
    package var hasControlCharacters: Bool {
        // Nearly every text is plain, and asking Unicode of each character is slow.
        guard !utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return false }
        return unicodeScalars.contains {
            [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
    }
}

func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
