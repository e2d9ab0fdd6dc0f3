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

    /// An unreserved character of RFC 3986 section 2.3, which a URL contains unescaped.
    package var isURLUnreserved: Bool {
        isASCIIAlphanumeric
            || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(self)
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
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
    /// Decodes pairs of hexadecimal digits; `nil` for other strings.
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
    /// The string with every byte except unreserved characters and `/` as `%XX` (RFC 3986 section 2.1).
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

    /// The string with each `%XX` decoded; `nil` if an escape is malformed or the result is not UTF-8.
    package var percentDecoded: String? { String(self).withDecodedPercents }

    /// Whether the string contains a C0 or C1 control character, DEL or a line separator.
    package var hasControlCharacters: Bool {
        // Most strings are printable ASCII, and the check of Unicode properties is slow.
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

extension String {
    /// See ``percentDecoded``, which is compiled for every kind of string and would be slow byte by byte.
    fileprivate var withDecodedPercents: String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
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
}
