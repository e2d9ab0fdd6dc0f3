/// A long source of which few bytes are read, here and there, and never more than a bound in all.
///
/// Headers are walked with it: whatever lengths the bytes announce, at most the budget is read of them, so that a file
/// made of a million empty segments costs no more than a photograph with a large profile.
struct ByteWindow {
    /// Gives bytes from an offset on: as many as asked for, fewer only at the end of the source.
    typealias Read = (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// Large enough for the tables and the frame header of a JPEG that no segment parts; a segment of 64 KB that is
    /// skipped costs so much, and the budget reaches for a thousand of them.
    private static let pieceSize = 1 << 10

    private let read: Read
    private var budget: Int
    private var start = 0
    private var piece: [UInt8] = []

    /// Reads by a closure, whose errors every reading method throws, and requests at most this number of bytes in
    /// total.
    init(budget: Int = 1 << 20, reading read: @escaping Read) {
        self.budget = budget
        self.read = read
    }

    /// Reads memory, which must outlive this value.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init { offset, count in
            guard bytes.indices.contains(offset) else { return [] }
            return Array(bytes[offset..<offset + min(count, bytes.count - offset)])
        }
    }

    /// The byte there; nothing behind the end and once the budget is spent.
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

    /// Whether more was asked for than there was to spend.
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

    /// Whether these bytes stand there, whole.
    mutating func holds(_ expected: some Collection<UInt8>, at offset: Int) throws -> Bool {
        var offset = offset
        for value in expected {
            guard try byte(at: offset) == value else { return false }
            offset += 1
        }
        return true
    }
}
