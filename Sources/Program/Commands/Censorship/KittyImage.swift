internal import FoundationEssentials

/// An image in the graphics protocol of the terminal Kitty, which other terminals have taken over.
enum KittyImage {
    /// The maximum number of Base64 bytes of one escape sequence.
    static let chunkSize = 4096

    /// Whether a terminal shows images in this protocol, by the variables that it sets.
    ///
    /// tmux and screen pass the sequences on only with further settings, so images are not sent through them.
    static func isShown(in environment: [String: String]) -> Bool {
        func value(_ name: String) -> String { environment[name] ?? "" }
        guard value("TMUX").isEmpty, value("STY").isEmpty else { return false }
        return value("TERM") == "xterm-kitty" || !value("KITTY_WINDOW_ID").isEmpty
            || ["ghostty", "WezTerm"].contains(value("TERM_PROGRAM"))
    }

    /// The escape sequences that show a PNG at the cursor.
    ///
    /// - Parameter png: The bytes of the file.
    /// - Returns: One sequence for each ``chunkSize`` Base64 bytes; the terminal answers none of them. Empty without
    ///   bytes.
    static func sequences(for png: [UInt8]) -> String {
        let text = Array(Data(png).base64EncodedString().utf8)
        var sequences = ""
        for start in stride(from: 0, to: text.count, by: chunkSize) {
            let end = min(start + chunkSize, text.count)
            // a=T: transmit and display; f=100: PNG; q=2: no answer, which would be read as input.
            let keys = (start == 0 ? "a=T,f=100,q=2," : "q=2,") + "m=\(end < text.count ? 1 : 0)"
            sequences += "\u{1B}_G\(keys);\(String(decoding: text[start..<end], as: UTF8.self))\u{1B}\\"
        }
        return sequences
    }
}
