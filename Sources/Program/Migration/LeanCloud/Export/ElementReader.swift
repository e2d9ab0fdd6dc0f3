/// The JSON values of one file of an export, read in pieces; one value is in memory.
///
/// A file has one value on each line (JSON Lines), or is one array, or `{"results":[…]}`. Blank lines and lines that
/// begin with `#` are skipped.
struct ElementReader {
    /// A value, or what is in its place.
    struct Element {
        /// The line on which it begins, from 1.
        let line: Int
        /// The bytes, which are UTF-8; or the reason for which they cannot be used.
        let content: Result<[UInt8], MigrationError>
    }

    private enum Form {
        case unknown
        case lines
        case array
        case ended
    }

    private var bytes: ByteReader
    private var form = Form.unknown
    private var line = 0
    private let allowsResults: Bool

    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - path: The file's path; in a `.jsonl` an object with the member `results` is an object like others.
    init(_ bytes: ByteReader, path: String) {
        self.bytes = bytes
        allowsResults = !path.hasSuffix(".jsonl") && !path.hasSuffix(".jsonl.gz")
    }

    /// The line that begins with `#filetype`, if the file begins with one; called before the first element.
    mutating func firstLine() throws -> [UInt8]? {
        try skipMark()
        guard try bytes.peek(1).first == UInt8(ascii: "#") else { return nil }
        line = 1
        return try bytes.line(limit: 64 << 10)?.bytes
    }

    /// The next value; `nil` at the end.
    mutating func next() throws -> Element? {
        if case .unknown = form { try begin() }
        switch form {
        case .lines, .unknown: return try nextLine()
        case .array: return try nextOfArray()
        case .ended: return nil
        }
    }

    private mutating func skipMark() throws {
        if line == 0, try bytes.peek(3).elementsEqual([0xEF, 0xBB, 0xBF]) { bytes.skip(3) }
    }

    private mutating func begin() throws {
        form = .lines
        try skipMark()
        // Enough to see `{ "results" : [` behind whitespace.
        let start = try bytes.peek(256)
        let blanks = start.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
        let rest = Array(start.dropFirst(blanks.count))
        if rest.first == UInt8(ascii: "[") {
            form = .array
            skip(blanks.count + 1, blanks)
        } else if allowsResults, let count = ElementReader.lengthOfResults(rest) {
            form = .array
            skip(blanks.count + count, rest.prefix(count) + blanks)
        }
    }

    private mutating func skip(_ count: Int, _ skipped: some Sequence<UInt8>) {
        line += 1 + skipped.count { $0 == 0x0a }
        bytes.skip(count)
    }

    /// The number of bytes of `{"results":[` at the beginning; `nil` for another beginning.
    private static func lengthOfResults(_ start: [UInt8]) -> Int? {
        var rest = start[...]
        for token in ["{", "\"results\"", ":", "["] {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
            guard rest.starts(with: token.utf8) else { return nil }
            rest = rest.dropFirst(token.utf8.count)
        }
        return rest.startIndex
    }

    private mutating func nextLine() throws -> Element? {
        while let found = try bytes.line(limit: LineReader.limit) {
            line += 1
            guard found.isComplete else { return unusable("the line is longer than \(LineReader.limit >> 20) MiB") }
            var text = found.bytes
            while let last = text.last, last == 0x0d || last == 0x20 || last == 0x09 { text.removeLast() }
            guard let first = text.first(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
            if first == UInt8(ascii: "#") { continue }
            return element(text, at: line, unit: "line")
        }
        form = .ended
        return nil
    }

    private mutating func nextOfArray() throws -> Element? {
        while let byte = try bytes.peek(1).first {
            switch byte {
            case 0x0a:
                line += 1
                bytes.skip(1)
            case 0x20, 0x09, 0x0d, UInt8(ascii: ","): bytes.skip(1)
            case UInt8(ascii: "]"):
                form = .ended
                return nil
            default:
                let start = line
                var found = try bytes.value(limit: LineReader.limit)
                line += found.bytes.count { $0 == 0x0a }
                guard found.isComplete else {
                    form = .ended
                    return unusable(
                        "the array does not end, or an element is longer than \(LineReader.limit >> 20) MiB"
                    )
                }
                while let last = found.bytes.last, last <= 0x20 { found.bytes.removeLast() }
                return element(found.bytes, at: start, unit: "element")
            }
        }
        form = .ended
        return unusable("the array does not end")
    }

    private func element(_ text: [UInt8], at line: Int, unit: String) -> Element {
        guard String(validating: text, as: UTF8.self) != nil else {
            return Element(line: line, content: .failure(MigrationError("the \(unit) is not UTF-8")))
        }
        return Element(line: line, content: .success(text))
    }

    private func unusable(_ reason: String) -> Element {
        Element(line: line, content: .failure(MigrationError(reason)))
    }
}
