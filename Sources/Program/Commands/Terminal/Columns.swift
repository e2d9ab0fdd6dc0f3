/// The number of terminal columns of text.
enum Columns {
    /// The number of columns; Chinese, Japanese and Korean characters and emoji have two, combining marks none.
    static func count(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + count($1) }
    }

    /// The longest beginning of the text that has at most that many columns, with `…` at its end if it is shorter.
    static func shortened(_ text: String, to width: Int) -> String {
        guard count(text) > width else { return text }
        var result = ""
        var used = 1
        for character in text {
            used += count(character)
            guard used <= width else { break }
            result.append(character)
        }
        return width > 0 ? result + "…" : ""
    }

    private static func count(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }) {
            return 2
        }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// The blocks whose characters are wide or fullwidth (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
