internal import FoundationEssentials

/// Encodes texts for the header fields of a mail; no result contains a line that its text began.
enum HeaderText {
    /// Encodes an unstructured field such as `Subject` (RFC 2047): ASCII unchanged, other texts as encoded words, each
    /// on its own line.
    static func unstructured(_ text: String) -> String {
        let text = String(text.map { $0.isNewline || "\($0)".hasControlCharacters ? " " : $0 })
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7f).contains($0) } && text.utf8.count <= 66
        // An ASCII text that looks like an encoded word must not be decoded.
        return isPlain && !text.contains("=?") ? text : encodedWords(text)
    }

    /// Encodes a mailbox for `From`, `To` and `Reply-To` (RFC 5322 section 3.4).
    static func mailbox(_ mailbox: Mailbox) -> String {
        let address = "<\(mailbox.address)>"
        guard !mailbox.name.isEmpty else { return address }
        let isPlain = mailbox.name.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-")
        }
        // The line "Reply-To: …" then has at most 78 characters, if the address is not long.
        guard isPlain, mailbox.name.utf8.count <= 40 else { return "\(encodedWords(mailbox.name))\r\n \(address)" }
        return "\(mailbox.name) \(address)"
    }

    /// Words of at most 75 characters of which none splits a character (RFC 2047 section 5), with a folded line between
    /// them.
    private static func encodedWords(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // 39 bytes are 52 characters of Base64, the frame has 12, and the longest name of a field 10.
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
