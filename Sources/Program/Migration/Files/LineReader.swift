/// The lines of a text, read in pieces; one line is in memory.
struct LineReader {
    /// The maximum number of bytes of a line: an object of LeanCloud's maximum, escaped.
    static let limit = 64 << 20

    /// A line.
    struct Line {
        /// From 1.
        let number: Int
        let content: LineContent
    }

    /// What a line contains.
    enum LineContent {
        /// The line without its end, and without a byte order mark.
        case text(String)
        /// Bytes that are not UTF-8.
        case notUTF8
        /// More bytes than the limit.
        case tooLong

        /// Why the line cannot be used; empty if it can.
        var reason: String {
            switch self {
            case .text: ""
            case .notUTF8: "the line is not UTF-8"
            case .tooLong: "the line is longer than \(LineReader.limit >> 20) MiB"
            }
        }
    }

    private var bytes: ByteReader
    private var number = 0

    init(descriptor: CInt, name: String) {
        self.init(ByteReader { buffer in try ReadFile.read(descriptor, buffer, name) })
    }

    init(_ bytes: ByteReader) {
        self.bytes = bytes
    }

    /// The next line; `nil` at the end.
    mutating func next() throws -> Line? {
        guard let line = try bytes.line(limit: LineReader.limit) else { return nil }
        number += 1
        guard line.isComplete else { return Line(number: number, content: .tooLong) }
        var content = line.bytes[...]
        if content.last == UInt8(ascii: "\r") { content.removeLast() }
        if number == 1, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
        guard let text = String(validating: content, as: UTF8.self) else {
            return Line(number: number, content: .notUTF8)
        }
        return Line(number: number, content: .text(text))
    }
}
