/// Why a JSON text cannot be read.
package struct JSONFault: Error, Sendable, CustomStringConvertible {
    /// The reason as a phrase.
    package let reason: String
    /// The offset in bytes at which the text is wrong.
    package let position: Int

    /// Such as `not JSON: a comma or '}' is missing at byte 17`.
    package var description: String { "not JSON: \(reason) at byte \(position)" }
}

/// Reads one JSON text (RFC 8259) in time proportional to its length; valid only as long as its buffer.
///
/// Foundation's decoder takes many times longer, because it tries each type in turn for every value.
package struct JSONReader {
    /// The maximum nesting of arrays and objects: more than servers accept.
    package static let maxDepth = 200

    let text: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte.
    package internal(set) var position = 0
    /// Whether a member whose name begins with `$` was read or skipped, as dumps of databases have.
    package internal(set) var hasDollarName = false

    /// Creates a reader at the beginning of a text in UTF-8, which must be valid.
    package init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    var current: UInt8? { position < text.count ? text[position] : nil }

    func fault(_ reason: String) -> JSONFault { JSONFault(reason: reason, position: position) }

    mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    /// Skips whitespace, and then the mark if it is next; returns whether it was.
    package mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    /// Checks that only whitespace is left.
    package mutating func requireEnd() throws(JSONFault) {
        skipBlanks()
        guard position == text.count else { throw fault("something follows the value") }
    }

    /// Reads the name of a member and the colon behind it.
    package mutating func name() throws(JSONFault) -> String {
        skipBlanks()
        guard current == UInt8(ascii: "\"") else { throw fault("a member's name is missing") }
        if position + 1 < text.count, text[position + 1] == UInt8(ascii: "$") { hasDollarName = true }
        let name = try string()
        guard take(":") else { throw fault("a colon is missing") }
        return name
    }

    /// Checks the next value and returns its range.
    package mutating func skipValue(depth: Int = 0) throws(JSONFault) -> Range<Int> {
        guard depth <= JSONReader.maxDepth else { throw fault("more than \(JSONReader.maxDepth) levels") }
        skipBlanks()
        let start = position
        switch current {
        case UInt8(ascii: "{"):
            position += 1
            if take("}") { break }
            repeat {
                skipBlanks()
                guard current == UInt8(ascii: "\"") else { throw fault("a member's name is missing") }
                if position + 1 < text.count, text[position + 1] == UInt8(ascii: "$") { hasDollarName = true }
                try skipString()
                guard take(":") else { throw fault("a colon is missing") }
                _ = try skipValue(depth: depth + 1)
            } while take(",")
            guard take("}") else { throw fault("a comma or '}' is missing") }
        case UInt8(ascii: "["):
            position += 1
            if take("]") { break }
            repeat { _ = try skipValue(depth: depth + 1) } while take(",")
            guard take("]") else { throw fault("a comma or ']' is missing") }
        case UInt8(ascii: "\""): try skipString()
        default: try skipScalar()
        }
        return start..<position
    }

    private mutating func skipScalar() throws(JSONFault) {
        switch current {
        case UInt8(ascii: "t"): try skipLiteral("true")
        case UInt8(ascii: "f"): try skipLiteral("false")
        case UInt8(ascii: "n"): try skipLiteral("null")
        default: _ = try number()
        }
    }

    mutating func skipLiteral(_ literal: StaticString) throws(JSONFault) {
        let bytes = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard text.count - position >= bytes.count, text[position...].starts(with: bytes) else {
            throw fault("no value")
        }
        position += bytes.count
    }

    /// Reads a number that an Int64 or a Double can represent.
    mutating func number() throws(JSONFault) -> JSON {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let leading = current
        let whole = skipDigits()
        guard whole > 0, leading != UInt8(ascii: "0") || whole == 1 else { throw fault("no value") }
        var isWhole = true
        if current == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard skipDigits() > 0 else { throw fault("a digit is missing") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw fault("a digit is missing") }
        }
        let digits = String(decoding: text[start..<position], as: UTF8.self)
        if isWhole, let value = Int64(digits) { return .integer(value) }
        guard let value = Double(digits), value.isFinite else { throw fault("a number is too large") }
        return .number(value)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}
