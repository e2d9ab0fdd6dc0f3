/// The two random numbers of a write-ahead log, which its header and each of its frames contain.
///
/// A log that is written from its beginning again gets new ones: the first grows by one, the second is random. So frames
/// that an earlier pass left in the file are not taken for new ones.
struct WALSalts: Sendable, Equatable {
    let first: UInt32
    let second: UInt32

    /// Whether a log with these salts was begun anew, in the same file, after one with the others.
    func follow(_ other: WALSalts) -> Bool {
        self != other && 1...(UInt32.max >> 1) ~= first &- other.first
    }
}

/// The running checksum of a write-ahead log: over the header, then over each frame.
struct WALChecksum: Sendable, Equatable {
    private(set) var first: UInt32
    private(set) var second: UInt32

    init(_ first: UInt32 = 0, _ second: UInt32 = 0) {
        self.first = first
        self.second = second
    }

    /// Adds bytes, whose number must be a multiple of 8; as words of big or of little endian.
    mutating func add(_ bytes: UnsafeRawBufferPointer, bigEndian: Bool) {
        var (one, two) = (first, second)
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
            let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            one = one &+ (bigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ two
            two = two &+ (bigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ one
        }
        (first, second) = (one, two)
    }
}

/// The first 32 bytes of a write-ahead log (SQLite's file format, section 4.1).
struct WALHeader: Sendable {
    static let size = 32

    /// The size of a page in bytes.
    let pageSize: Int
    let salts: WALSalts
    /// Whether the checksums are computed over words of big endian.
    let isBigEndian: Bool
    /// The checksum of the header, with which that of the first frame begins.
    let checksum: WALChecksum

    /// The header in the bytes; `nil` if SQLite would not take them for one.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= WALHeader.size else { return nil }
        let magic = bytes.word(at: 0)
        guard magic & ~1 == 0x377f_0682, bytes.word(at: 4) == 3_007_000 else { return nil }
        isBigEndian = magic & 1 == 1
        pageSize = Int(bytes.word(at: 8))
        guard 512...65_536 ~= pageSize, pageSize & (pageSize - 1) == 0 else { return nil }
        salts = WALSalts(first: bytes.word(at: 16), second: bytes.word(at: 20))
        var sum = WALChecksum()
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<24]), bigEndian: isBigEndian)
        checksum = sum
        guard sum == WALChecksum(bytes.word(at: 24), bytes.word(at: 28)) else { return nil }
    }
}

extension UnsafeRawBufferPointer {
    /// The 32-bit number of big endian at an offset.
    func word(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
