/// Escapes text for a line, as a string of JSON.
enum LogEscaping {
    /// Writes text with escapes.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - bytes: The line.
    ///   - isQuoted: Whether the text stands between quotes; without them, quotes and backslashes stay as they are.
    static func write(_ text: String, to bytes: inout [UInt8], isQuoted: Bool) {
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        if text.utf8.allSatisfy(isPlain) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { write(scalar, to: &bytes, isQuoted: isQuoted) }
        }
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    }

    /// Writes text without quotes if it consists of visible ASCII characters that no reader can mistake for others.
    static func writeBare(_ text: String, to bytes: inout [UInt8]) {
        let isBare = !text.isEmpty && text.utf8.allSatisfy { isPlain($0) && $0 != 0x20 && $0 != UInt8(ascii: "=") }
        write(text, to: &bytes, isQuoted: !isBare)
    }

    /// Whether a byte stands for itself: a visible ASCII character or a blank, except quotes and backslashes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func write(_ scalar: Unicode.Scalar, to bytes: inout [UInt8], isQuoted: Bool) {
        switch scalar {
        case "\"", "\\":
            if isQuoted { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        case _ where isUnsafe(scalar.value):
            let digits = String(scalar.value, radix: 16)
            bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        default: bytes.append(contentsOf: UTF8.encode(scalar)?.map(\.self) ?? [])
        }
    }

    /// Whether a character controls terminals, ends lines for some programs, or changes the direction of what follows.
    private static func isUnsafe(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }
}
