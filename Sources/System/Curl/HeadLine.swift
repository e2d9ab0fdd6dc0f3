/// One line of a response's head, as ``CurlCallbacks/receiveHead`` passes it on.
package enum HeadLine: Sendable, Equatable {
    /// A status line, with which each head begins, also that of a redirect or of `100 Continue`; 0 without a number.
    case status(Int)
    /// A field: its name in lower case, and its value without the spaces and tabs before it (RFC 9110 section 5.5).
    case field(name: String, value: String)

    /// Parses a line without its end; `nil` for other lines, such as the empty one after the fields.
    package init?(_ line: String) {
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ", maxSplits: 2)
            self = .status(words.count > 1 ? Int(words[1]) ?? 0 : 0)
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            self = .field(name: line[..<colon].lowercased(), value: String(value))
        } else {
            return nil
        }
    }
}
