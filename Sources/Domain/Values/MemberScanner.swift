/// Iterates over the members of an object, or the elements of an array, in canonical JSON, which has no whitespace and
/// is known to be well-formed.
struct MemberScanner {
    private let text: UnsafeBufferPointer<UInt8>
    /// Starts after the opening brace or bracket.
    private var position = 1

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// The ranges of the next member's name, without quotes, and value; `nil` at the end.
    mutating func next() -> (name: Range<Int>, value: Range<Int>)? {
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        skipString()
        let name = start..<position - 1
        position += 1
        let value = position
        skipValue()
        defer { position += 1 }
        return (name, value..<position)
    }

    /// The range of the next element of an array; `nil` at the end.
    mutating func nextElement() -> Range<Int>? {
        guard position < text.count, text[position] != UInt8(ascii: "]") else { return nil }
        let start = position
        skipValue()
        defer { position += 1 }
        return start..<position
    }

    /// Advances past the closing quote.
    private mutating func skipString() {
        position += 1
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
    }

    /// Advances past a value, to the comma or brace that ends it.
    private mutating func skipValue() {
        var depth = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { return }
            default:
                break
            }
            position += 1
        }
    }
}
