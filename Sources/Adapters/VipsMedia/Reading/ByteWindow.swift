/// Random access to few bytes of a long source, with a budget for all reads together.
///
/// Header parsers use it: for any lengths that the bytes announce, the reads do not exceed the budget, so that a file of a
/// million empty segments costs no more than a photograph with a large profile.
struct ByteWindow {
    /// Reads bytes from an offset: the requested number, fewer only at the end of the source.
    typealias Read = (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// Large enough for the tables and the frame header of a JPEG without other segments between; skipping a segment of
    /// 64 KB costs one piece, and the budget suffices for a thousand of them.
    private static let pieceSize = 1 << 10

    private let read: Read
    private var budget: Int
    private var start = 0
    private var piece: [UInt8] = []

    /// Creates a window on a closure, which can read at most `budget` bytes in total.
    ///
    /// Every reading method throws the errors of the closure.
    init(budget: Int = 1 << 20, reading read: @escaping Read) {
        self.budget = budget
        self.read = read
    }

    /// Creates a window on memory, which must outlive this value.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init { offset, count in
            guard bytes.indices.contains(offset) else { return [] }
            return Array(bytes[offset..<offset + min(count, bytes.count - offset)])
        }
    }

    /// The byte at an offset; `nil` beyond the end and after the budget is used up.
    mutating func byte(at offset: Int) throws -> UInt8? {
        guard offset >= 0 else { return nil }
        if offset < start || offset - start >= piece.count {
            guard budget >= ByteWindow.pieceSize else { return nil }
            budget -= ByteWindow.pieceSize
            piece = try read(offset, ByteWindow.pieceSize)
            start = offset
        }
        return offset - start < piece.count ? piece[offset - start] : nil
    }

    mutating func big16(at offset: Int) throws -> Int? {
        guard let high = try byte(at: offset), let low = try byte(at: offset + 1) else { return nil }
        return Int(high) << 8 | Int(low)
    }

    /// Whether the budget is used up.
    var isSpent: Bool { budget < ByteWindow.pieceSize }

    mutating func little32(at offset: Int) throws -> Int? {
        guard let low = try byte(at: offset), let second = try byte(at: offset + 1),
            let third = try byte(at: offset + 2),
            let high = try byte(at: offset + 3)
        else { return nil }
        return Int(low) | Int(second) << 8 | Int(third) << 16 | Int(high) << 24
    }

    mutating func big32(at offset: Int) throws -> Int? {
        guard let high = try big16(at: offset), let low = try big16(at: offset + 2) else { return nil }
        return high << 16 | low
    }

    /// Whether all of these bytes are at the offset.
    mutating func holds(_ expected: some Collection<UInt8>, at offset: Int) throws -> Bool {
        var offset = offset
        for value in expected {
            guard try byte(at: offset) == value else { return false }
            offset += 1
        }
        return true
    }
}
