/// The reason for which a JSON text is refused.
enum JSONFault: Error {
    /// The text violates the grammar (RFC 8259); the string is the reason.
    case malformed(String)
    /// The text has more values than the limit.
    case tooManyValues(Int)
    /// The caller of the parser has no memory for the values.
    case refused(ServiceError)

    /// The error for the client.
    func refusal(of field: String, at position: Int) -> ServiceError {
        switch self {
        case .refused(let refusal):
            refusal
        case .malformed(let what):
            ServiceError(.malformedJSON, "\(field) is not valid JSON: \(what) at byte \(position).")
        case .tooManyValues(let limit):
            ServiceError(.payloadTooLarge, "\(field) has more than \(limit) values, the limit (http.maxJsonValues).")
        }
    }
}

/// Reads or skips the tokens of one JSON text; valid only as long as its buffer.
struct JSONLexer {
    private let text: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte.
    var position: Int

    init(_ text: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.text = text
        self.position = position
    }

    /// The next byte; `nil` at the end.
    var current: UInt8? { position < text.count ? text[position] : nil }

    var isAtEnd: Bool { position >= text.count }

    mutating func skipBlanks() {
        // Most tokens are not preceded by whitespace.
        guard let byte = current, byte <= 0x20 else { return }
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    /// Skips whitespace, and then the mark if it is next; returns whether it was.
    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    /// Skips whitespace and checks that a member's name follows.
    mutating func requireName() throws(JSONFault) {
        skipBlanks()
        guard current == UInt8(ascii: "\"") else { throw .malformed("a member's name is missing") }
    }

    mutating func requireColon() throws(JSONFault) {
        guard take(":") else { throw .malformed("a colon is missing") }
    }

    mutating func skipLiteral(_ literal: StaticString) throws(JSONFault) {
        let bytes = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard text.count - position >= bytes.count,
            bytes.indices.allSatisfy({ text[position + $0] == bytes[$0] })
        else { throw .malformed("no value") }
        position += bytes.count
    }

    /// Skips a number; returns whether it has neither a fraction nor an exponent.
    mutating func skipNumber() throws(JSONFault) -> Bool {
        if current == UInt8(ascii: "-") { position += 1 }
        let leading = current
        let whole = skipDigits()
        guard whole > 0, leading != UInt8(ascii: "0") || whole == 1 else { throw .malformed("no value") }
        var isWhole = true
        if current == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard skipDigits() > 0 else { throw .malformed("a digit is missing") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw .malformed("a digit is missing") }
        }
        return isWhole
    }

    /// The ASCII string between an offset and the next byte.
    func string(from start: Int) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: text[start..<position]), as: UTF8.self)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}

extension JSONLexer {
    /// Reads the string at the current offset.
    mutating func string() throws(JSONFault) -> String {
        let (start, isASCII) = skipPlain()
        let plain = UnsafeBufferPointer(rebasing: text[start..<position])
        if current == UInt8(ascii: "\"") {
            position += 1
            if isASCII { return String(decoding: plain, as: UTF8.self) }
            guard let string = String(validating: plain, as: UTF8.self) else { throw .malformed("no UTF-8") }
            return string
        }
        return try stringWithEscapes(beginning: Array(plain))
    }

    /// Skips the string at the current offset, with the checks of ``string()``.
    mutating func skipString() throws(JSONFault) {
        let start = position
        let (first, isASCII) = skipPlain()
        if isASCII, current == UInt8(ascii: "\"") {
            position += 1
        } else if !isASCII || first == position {
            position = start
            _ = try string()
        } else {
            try skipEscaped(from: start)
        }
    }

    /// Skips the rest of an ASCII string with escapes; other strings are read completely, to check their UTF-8.
    private mutating func skipEscaped(from start: Int) throws(JSONFault) {
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte < 0x80 else {
                position = start
                _ = try string()
                return
            }
            position += 1
            guard byte >= 0x20 else { throw .malformed("a string contains a control character") }
            if byte == UInt8(ascii: "\\") { _ = try escape() }
        }
        guard current != nil else { throw .malformed("a string does not end") }
        position += 1
    }

    /// Skips the opening quote and plain characters up to the closing quote, an escape or an invalid character.
    private mutating func skipPlain() -> (start: Int, isASCII: Bool) {
        let start = position + 1
        var end = start
        var union: UInt8 = 0
        while end < text.count {
            let byte = text[end]
            guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
            union |= byte
            end += 1
        }
        position = end
        return (start, union < 0x80)
    }

    private mutating func stringWithEscapes(beginning: [UInt8]) throws(JSONFault) -> String {
        var bytes = beginning
        while let byte = current, byte != UInt8(ascii: "\"") {
            position += 1
            guard byte >= 0x20 else { throw .malformed("a string contains a control character") }
            if byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: String(try escape()).utf8)
            } else {
                bytes.append(byte)
            }
        }
        guard current != nil else { throw .malformed("a string does not end") }
        position += 1
        guard let string = String(validating: bytes, as: UTF8.self) else { throw .malformed("no UTF-8") }
        return string
    }

    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        guard let byte = current else { throw .malformed("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw .malformed("an unknown escape")
        }
    }

    /// Reads the code unit of an escape, or the two of a surrogate pair.
    ///
    /// The half of a pair without the other half becomes U+FFFD. `JSON.stringify` writes such a half when an app has cut
    /// a string inside a character, and one such string must not fail a whole batch.
    private mutating func unicodeEscape() throws(JSONFault) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xdc00, let low = nextLowHalf(),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xd800) << 10 + (UInt32(low) - 0xdc00))
        else { return "\u{fffd}" }
        position += 6
        return scalar
    }

    /// The low half of a surrogate pair in the escape at the current offset, which is not consumed; `nil` if something
    /// else follows.
    private func nextLowHalf() -> UInt16? {
        var next = self
        guard next.current == UInt8(ascii: "\\") else { return nil }
        next.position += 1
        guard next.current == UInt8(ascii: "u") else { return nil }
        next.position += 1
        guard let unit = try? next.codeUnit(), (0xdc00...0xdfff).contains(unit) else { return nil }
        return unit
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        let digits = text[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .malformed("four hexadecimal digits are missing") }
        position += 4
        return unit
    }
}
