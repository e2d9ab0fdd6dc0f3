extension JSONReader {
    /// Reads the string at the current offset.
    mutating func string() throws(JSONFault) -> String {
        let start = position + 1
        try skipPlain()
        guard current == UInt8(ascii: "\\") else {
            position += 1
            return String(decoding: text[start..<(position - 1)], as: UTF8.self)
        }
        var bytes = Array(text[start..<position])
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("a string contains a control character") }
            position += 1
            if byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: String(try escape()).utf8)
            } else {
                bytes.append(byte)
            }
        }
        guard current != nil else { throw fault("a string does not end") }
        position += 1
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Skips the string at the current offset, with the checks of ``string()``.
    mutating func skipString() throws(JSONFault) {
        try skipPlain()
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("a string contains a control character") }
            position += 1
            if byte == UInt8(ascii: "\\") { _ = try escape() }
        }
        guard current != nil else { throw fault("a string does not end") }
        position += 1
    }

    /// Skips the opening quote and the characters up to the closing quote or the first escape.
    private mutating func skipPlain() throws(JSONFault) {
        position += 1
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            guard byte >= 0x20 else { throw fault("a string contains a control character") }
            position += 1
        }
        throw fault("a string does not end")
    }

    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        guard let byte = current else { throw fault("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw fault("an unknown escape")
        }
    }

    /// Reads the code unit of an escape, or the two of a surrogate pair.
    ///
    /// Half of a pair becomes U+FFFD, as the server stores it: apps have cut strings inside a character, and one such
    /// string must not make a whole answer or export unreadable.
    private mutating func unicodeEscape() throws(JSONFault) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xdc00, text[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            return "\u{fffd}"
        }
        // Another escape than the low half is read again, by itself.
        var next = self
        next.position += 2
        let low = try next.codeUnit()
        guard (0xdc00...0xdfff).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xd800) << 10 + (UInt32(low) - 0xdc00))
        else { return "\u{fffd}" }
        position = next.position
        return scalar
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        let digits = text[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits are missing") }
        position += 4
        return unit
    }
}
