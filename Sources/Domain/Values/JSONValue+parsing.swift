extension JSONValue {
    /// How many arrays and objects may stand inside each other in a text from outside, and in an object.
    package static let deepest = 100

    /// The same for what a store kept: more than anything that is let in, so that it can always be read again.
    package static let deepestStored = 300

    /// Reads a JSON text (RFC 8259), in time that grows with its length alone.
    ///
    /// Foundation's decoder takes seconds for a few nested kilobytes, because every level asks for each type in turn, so
    /// the text is read here. A member that stands twice is refused: whoever checks one and uses the other is deceived.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - field: What the text is, for the sentence of an error.
    ///   - depth: How many arrays and objects may stand inside each other.
    /// - Throws: ``ServiceError/Code/malformedJSON`` naming the field.
    package init(parsing text: [UInt8], field: String, depth: Int = deepest) throws {
        self = try text.withUnsafeBufferPointer { text in
            var parser = JSONParser(text, deepest: depth)
            do {
                return try parser.document()
            } catch let error as Malformed {
                throw ServiceError(
                    .malformedJSON,
                    "\(field) is not valid JSON: \(error.what) at byte \(parser.position)."
                )
            }
        }
    }

    /// How many arrays and objects stand inside each other.
    package var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}

/// What a text breaks the grammar with.
private struct Malformed: Error {
    let what: String
}

/// Reads one text; used only while the buffer it was given is there.
///
/// Every row that a query reads passes here, so it looks at each byte once and makes strings without a copy between.
private struct JSONParser {
    private let text: UnsafeBufferPointer<UInt8>
    private let deepest: Int
    private(set) var position = 0

    init(_ text: UnsafeBufferPointer<UInt8>, deepest: Int) {
        self.text = text
        self.deepest = deepest
    }

    mutating func document() throws(Malformed) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard position == text.count else { throw Malformed(what: "something follows the value") }
        return value
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSONValue {
        guard depth <= deepest else { throw Malformed(what: "over \(deepest) levels") }
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): return .object(try object(depth))
        case UInt8(ascii: "["): return .array(try array(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(_ depth: Int) throws(Malformed) -> [String: JSONValue] {
        position += 1
        if take("}") { return [:] }
        var count = 0
        var members: [String: JSONValue] = [:]
        members.reserveCapacity(depth == 0 ? 12 : 3)
        repeat {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw Malformed(what: "a member's name is missing") }
            let name = try string()
            guard take(":") else { throw Malformed(what: "a colon is missing") }
            let value = try value(depth: depth + 1)
            members[name] = value
            count += 1
            guard members.count == count else { throw Malformed(what: "the member '\(name.prefix(64))' stands twice") }
        } while take(",")
        guard take("}") else { throw Malformed(what: "a comma or '}' is missing") }
        return members
    }

    private mutating func array(_ depth: Int) throws(Malformed) -> [JSONValue] {
        var elements: [JSONValue] = []
        position += 1
        if take("]") { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw Malformed(what: "a comma or ']' is missing") }
        return elements
    }

    private mutating func number() throws(Malformed) -> JSONValue {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let leading = current
        let whole = skipDigits()
        guard whole > 0, leading != UInt8(ascii: "0") || whole == 1 else { throw Malformed(what: "no value") }
        var isWhole = true
        if current == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard skipDigits() > 0 else { throw Malformed(what: "a digit is missing") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw Malformed(what: "a digit is missing") }
        }
        let digits = String(decoding: UnsafeBufferPointer(rebasing: text[start..<position]), as: UTF8.self)
        if isWhole, let value = Int64(digits) { return .integer(value) }
        guard let value = Double(digits), value.isFinite else { throw Malformed(what: "a number is too large") }
        return .number(value)
    }

    private mutating func string() throws(Malformed) -> String {
        position += 1
        let start = position
        var isASCII = true
        while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            if byte >= 0x80 { isASCII = false }
            position += 1
        }
        let plain = UnsafeBufferPointer(rebasing: text[start..<position])
        if current == UInt8(ascii: "\"") {
            position += 1
            if isASCII { return String(decoding: plain, as: UTF8.self) }
            guard let string = String(validating: plain, as: UTF8.self) else { throw Malformed(what: "no UTF-8") }
            return string
        }
        return try stringWithEscapes(beginning: Array(plain))
    }

    private mutating func stringWithEscapes(beginning: [UInt8]) throws(Malformed) -> String {
        var bytes = beginning
        while let byte = current, byte != UInt8(ascii: "\"") {
            position += 1
            guard byte >= 0x20 else { throw Malformed(what: "a control character stands in a string") }
            if byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: String(try escape()).utf8)
            } else {
                bytes.append(byte)
            }
        }
        guard current != nil else { throw Malformed(what: "a string does not end") }
        position += 1
        guard let string = String(validating: bytes, as: UTF8.self) else { throw Malformed(what: "no UTF-8") }
        return string
    }

    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        guard let byte = current else { throw Malformed(what: "a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw Malformed(what: "an unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(Malformed) -> Unicode.Scalar {
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        // Half of a pair: the other half must follow.
        guard high < 0xdc00, current == UInt8(ascii: "\\") else { throw Malformed(what: "half of a surrogate pair") }
        position += 1
        guard current == UInt8(ascii: "u") else { throw Malformed(what: "half of a surrogate pair") }
        position += 1
        let low = try codeUnit()
        guard (0xdc00...0xdfff).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xd800) << 10 + (UInt32(low) - 0xdc00))
        else { throw Malformed(what: "half of a surrogate pair") }
        return scalar
    }

    private mutating func codeUnit() throws(Malformed) -> UInt16 {
        let digits = text[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Malformed(what: "four hexadecimal digits are missing") }
        position += 4
        return unit
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Malformed) -> JSONValue {
        let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard text.count - position >= bytes.count,
            bytes.indices.allSatisfy({ text[position + $0] == bytes[$0] })
        else { throw Malformed(what: "no value") }
        position += bytes.count
        return value
    }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}
