/// The rows of a CSV file (RFC 4180): cells separated by commas, in double quotes if they contain commas, quotes or line
/// ends.
struct CSVRows {
    /// A row.
    struct Row {
        /// The number of its first line, from 1.
        let line: Int
        let content: Content
    }

    /// What a row contains.
    enum Content: Equatable {
        case cells([String])
        /// Something else, with the reason.
        case unusable(String)
    }

    private var lines: LineReader

    init(descriptor: CInt, name: String) {
        lines = LineReader(descriptor: descriptor, name: name)
    }

    /// The next row; `nil` at the end.
    mutating func next() throws -> Row? {
        guard let first = try lines.next() else { return nil }
        guard case .text(var text) = first.content else {
            return Row(line: first.number, content: .unusable(first.content.reason))
        }
        // A quote that is not closed continues on the next line.
        var isOpen = CSVRows.opensOrCloses(text)
        while isOpen {
            guard let next = try lines.next() else {
                return Row(line: first.number, content: .unusable("a quotation mark is not closed"))
            }
            guard case .text(let more) = next.content, text.utf8.count + more.utf8.count < LineReader.limit else {
                return Row(line: first.number, content: .unusable("the row is too long or not UTF-8"))
            }
            text += "\n"
            text += more
            if CSVRows.opensOrCloses(more) { isOpen.toggle() }
        }
        return Row(line: first.number, content: CSVRows.cells(of: text))
    }

    /// Whether a line has an odd number of quotes.
    private static func opensOrCloses(_ line: String) -> Bool {
        line.utf8.count { $0 == UInt8(ascii: "\"") } % 2 == 1
    }

    /// The cells of a row.
    static func cells(of text: String) -> Content {
        var cells: [String] = []
        var rest = Substring(text)
        while true {
            if rest.first == "\"" {
                guard let (cell, tail) = quoted(rest.dropFirst()), tail.isEmpty || tail.first == "," else {
                    return .unusable("a quotation mark is at the wrong place")
                }
                cells.append(cell)
                rest = tail
            } else {
                let cell = rest.prefix { $0 != "," }
                guard !cell.contains("\"") else { return .unusable("a quotation mark is at the wrong place") }
                cells.append(String(cell))
                rest = rest.dropFirst(cell.count)
            }
            guard rest.first == "," else { return .cells(cells) }
            rest = rest.dropFirst()
        }
    }

    /// The cell up to the closing quotation mark, and what follows it.
    private static func quoted(_ text: Substring) -> (cell: String, rest: Substring)? {
        var cell = ""
        var rest = text
        while let end = rest.firstIndex(of: "\"") {
            cell += rest[..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.first == "\"" else { return (cell, rest) }
            cell += "\""
            rest = rest.dropFirst()
        }
        return nil
    }
}
