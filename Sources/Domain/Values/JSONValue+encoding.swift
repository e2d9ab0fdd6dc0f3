extension JSONValue {
    /// The value as compact JSON in UTF-8, with members sorted by name and slashes not escaped.
    ///
    /// A number that is not finite becomes `null`; parsed values contain none.
    package func encoded() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(512)
        write(to: &text)
        return text
    }

    private func write(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): text.append(contentsOf: String(value).utf8)
        case .number(let value): text.append(contentsOf: (value.isFinite ? String(value) : "null").utf8)
        case .string(let value): JSONValue.write(value, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONValue.write(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to text: inout [UInt8]) {
        var string = string
        text.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
            var isPlain = true
            for byte in bytes where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                isPlain = false
            }
            if isPlain {
                text.append(contentsOf: bytes)
            } else {
                for byte in bytes { writeEscaped(byte, to: &text) }
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): text.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): text.append(contentsOf: "\\\\".utf8)
        case 0x0a: text.append(contentsOf: "\\n".utf8)
        case 0x0d: text.append(contentsOf: "\\r".utf8)
        case 0x09: text.append(contentsOf: "\\t".utf8)
        case 0..<0x20: text.append(contentsOf: "\\u00\([byte].hexadecimal)".utf8)
        default: text.append(byte)
        }
    }
}
