extension Color {
    /// Parses `#RRGGBB`, `#RGB` or a CSS colour name in any case; `nil` for other strings (CSS Color 4, sections 5.2,
    /// 6.1).
    init?(css text: String) {
        guard text.utf8.first == UInt8(ascii: "#") else {
            // No name is longer, and lowercasing could map a non-ASCII character to an ASCII one.
            guard text.utf8.count <= 20, text.utf8.allSatisfy({ $0 < 0x80 }),
                let value = Color.names[text.lowercased()]
            else { return nil }
            self.init(
                red: UInt8(truncatingIfNeeded: value >> 16),
                green: UInt8(truncatingIfNeeded: value >> 8),
                blue: UInt8(truncatingIfNeeded: value)
            )
            return
        }
        let digits = text.utf8.dropFirst().map(hexadecimalValue)
        let values = digits.compactMap(\.self)
        guard values.count == digits.count else { return nil }
        switch values.count {
        case 3: self.init(red: values[0] * 17, green: values[1] * 17, blue: values[2] * 17)
        case 6:
            self.init(
                red: values[0] << 4 | values[1],
                green: values[2] << 4 | values[3],
                blue: values[4] << 4 | values[5]
            )
        default: return nil
        }
    }
}
