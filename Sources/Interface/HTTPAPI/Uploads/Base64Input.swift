internal import Domain
internal import NIOCore

/// Base64 in a string of a JSON body.
struct Base64Input {
    fileprivate let text: ByteBuffer

    /// Takes the string at a range; `nil` if the value is not a string.
    init?(_ body: JSONBody, at range: Range<Int>) {
        let start = body.text.readerIndex + range.lowerBound
        guard body.text.getInteger(at: start, as: UInt8.self) == UInt8(ascii: "\""),
            var text = body.text.getSlice(at: start + 1, length: range.count - 2)
        else { return nil }
        if text.readableBytesView.contains(UInt8(ascii: "\\")) {
            // Some clients (PHP) escape slashes. The parse then fails only for lack of memory.
            guard let string = try? body.value(at: range).value.stringValue else { return nil }
            text = ByteBuffer(string: string)
        }
        self.text = text
    }
}

/// Decodes Base64 piece by piece, so that the decoded bytes of a large file are never completely in memory beside its
/// text.
struct Base64Pieces {
    /// The number of decoded bytes.
    let byteCount: Int
    private var digits: ByteBuffer

    /// The number of digits in a piece, a multiple of four.
    private static let length = 256 << 10

    /// Takes Base64 in either alphabet, padded or not, with or without the prefix of a data URL; `nil` if it is
    /// invalid.
    init?(_ text: Base64Input) {
        var text = text.text
        if text.readableBytesView.starts(with: "data:".utf8) {
            let prefixLength = text.readableBytesView.prefix { $0 != UInt8(ascii: ",") }.count
            text.moveReaderIndex(forwardBy: min(prefixLength + 1, text.readableBytes))
        }
        let padding = text.readableBytesView.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        digits = text.getSlice(at: text.readerIndex, length: text.readableBytes - padding) ?? ByteBuffer()
        guard padding <= 2, digits.readableBytes % 4 != 1,
            digits.readableBytesView.allSatisfy({ Base64Pieces.digits[Int($0)] })
        else { return nil }
        byteCount = digits.readableBytes / 4 * 3 + max(0, digits.readableBytes % 4 - 1)
    }

    /// The next bytes; `nil` at the end.
    mutating func next() -> ByteBuffer? {
        guard let piece = digits.readSlice(length: min(Base64Pieces.length, digits.readableBytes)),
            piece.readableBytes > 0
        else { return nil }
        return [UInt8](base64: String(buffer: piece)).map(ByteBuffer.init(bytes:))
    }

    /// Whether each byte value is a digit in either alphabet.
    private static let digits: [Bool] = (0...255).map { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
