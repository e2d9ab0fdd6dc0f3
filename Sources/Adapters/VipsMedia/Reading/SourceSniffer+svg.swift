extension SourceSniffer {
    /// Whether the root element of an XML document is `svg`, with or without a prefix.
    ///
    /// It skips only what can precede a root element (XML 1.0, section 2.8): a page that contains an image is not an
    /// image.
    static func isSVG(_ cursor: ByteCursor) -> Bool {
        var prolog = XMLProlog(cursor: cursor)
        guard let root = prolog.rootName() else { return false }
        let parts = root.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2 && !parts[0].isEmpty && parts.last.map { $0.elementsEqual("svg".utf8) } == true
    }
}

/// The part of an XML document before its root element, in ASCII or UTF-8.
private struct XMLProlog {
    var cursor: ByteCursor

    /// The name of the root element with its prefix; `nil` if other content comes first or the bytes end before it.
    mutating func rootName() -> [UInt8]? {
        if cursor.holds([0xef, 0xbb, 0xbf]) { cursor.position = 3 }
        while true {
            skipSpace()
            if takes("<?") {
                guard skip(behind: "?>") else { return nil }
            } else if takes("<!--") {
                guard skip(behind: "-->") else { return nil }
            } else if takes("<!DOCTYPE") {
                guard skipDoctype() else { return nil }
            } else {
                return takes("<") ? name() : nil
            }
        }
    }

    private mutating func name() -> [UInt8]? {
        var name: [UInt8] = []
        while let byte = cursor.next() {
            if isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { return name }
            name.append(byte)
        }
        return nil
    }

    /// Skips the rest of a document type, whose internal subset can contain `>` in literals and declarations.
    private mutating func skipDoctype() -> Bool {
        var isInSubset = false
        while !takes(">") || isInSubset {
            if takes("<!--") {
                guard skip(behind: "-->") else { return false }
            } else if takes("<?") {
                guard skip(behind: "?>") else { return false }
            } else {
                switch cursor.next() {
                case nil: return false
                case UInt8(ascii: "\"")?: guard skip(behind: "\"") else { return false }
                case UInt8(ascii: "'")?: guard skip(behind: "'") else { return false }
                case UInt8(ascii: "[")?: isInSubset = true
                case UInt8(ascii: "]")?: isInSubset = false
                default: break
                }
            }
        }
        return true
    }

    private mutating func skipSpace() {
        while let byte = cursor.byte(at: cursor.position), isSpace(byte) { cursor.position += 1 }
    }

    private mutating func skip(behind end: String) -> Bool {
        while cursor.position < cursor.count {
            if takes(end) { return true }
            cursor.position += 1
        }
        return false
    }

    /// Skips these characters if they come next; returns whether they did.
    private mutating func takes(_ text: String) -> Bool {
        guard cursor.holds(text.utf8, at: cursor.position) else { return false }
        cursor.position += text.utf8.count
        return true
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }
}
