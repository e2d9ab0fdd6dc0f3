/// Bytes that arrive in pieces, cut at line feeds or at the ends of JSON values.
struct ByteReader {
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var start = 0
    private var end = 0
    private var isAtEnd = false

    /// - Parameter read: Fills a buffer and returns the number of bytes, 0 at the end.
    init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
    }

    /// The bytes up to the next line feed, which is not part of them; `nil` at the end.
    ///
    /// A line of more than `limit` bytes is skipped, and what is returned is not complete.
    mutating func line(limit: Int) throws -> (bytes: [UInt8], isComplete: Bool)? {
        var line: [UInt8] = []
        var isComplete = true
        var isEmpty = true
        while true {
            if start == end {
                guard try fill() else { return isEmpty ? nil : (line, isComplete) }
            }
            isEmpty = false
            let rest = buffer[start..<end]
            let feed = rest.firstIndex(of: UInt8(ascii: "\n"))
            let piece = rest[..<(feed ?? end)]
            if line.count + piece.count > limit {
                isComplete = false
                line = []
            } else if isComplete {
                line += piece
            }
            start = feed.map { $0 + 1 } ?? end
            if feed != nil { return (line, isComplete) }
        }
    }

    /// The next bytes without taking them, fewer than `count` only at the end.
    mutating func peek(_ count: Int) throws -> ArraySlice<UInt8> {
        while end - start < count, !isAtEnd {
            if start > 0 {
                buffer.replaceSubrange(0..<(end - start), with: buffer[start..<end])
                (start, end) = (0, end - start)
            }
            let read = read
            let offset = end
            let added = try buffer.withUnsafeMutableBytes {
                try read(UnsafeMutableRawBufferPointer(rebasing: $0[offset...]))
            }
            end += added
            isAtEnd = added == 0
        }
        return buffer[start..<min(end, start + count)]
    }

    /// Skips bytes that were peeked at.
    mutating func skip(_ count: Int) {
        start = min(end, start + count)
    }

    /// The bytes of the JSON value at the current offset, up to the comma or bracket behind it, which is not taken.
    ///
    /// A value that does not end, or is longer than the limit, is not complete.
    mutating func value(limit: Int) throws -> (bytes: [UInt8], isComplete: Bool) {
        var value: [UInt8] = []
        var depth = 0
        var isInString = false
        var isEscaped = false
        while true {
            if start == end {
                guard try fill() else { return (value, false) }
            }
            var index = start
            scanning: while index < end {
                let byte = buffer[index]
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isInString = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                        if depth == 0 { break scanning }
                        if byte != UInt8(ascii: ",") { depth -= 1 }
                    default: break
                    }
                }
                index += 1
            }
            guard value.count + index - start <= limit else { return (value, false) }
            value += buffer[start..<index]
            start = index
            if index < end { return (value, true) }
        }
    }

    private mutating func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        let read = read
        let count = try buffer.withUnsafeMutableBytes { try read(UnsafeMutableRawBufferPointer($0)) }
        (start, end, isAtEnd) = (0, count, count == 0)
        return count > 0
    }
}
