/// The beginning of a segment's file: 56 bytes, numbers in big endian.
///
/// ```
/// lcfseg01                     8 bytes
/// the size of a page           4 bytes
/// zero                         4 bytes
/// the number                   8 bytes
/// the digest of the file before it: the previous segment, or the base for number 1   32 bytes, SHA-256
/// ```
///
/// Then each page follows as its number (4 bytes) and its bytes. A page can come more than once; the last one counts.
/// ``SegmentEnd`` is the end.
package struct SegmentHeader: Sendable, Equatable {
    /// The size of a page in bytes: a power of two from 512 to 65 536.
    package let pageSize: Int
    /// The number of the segment in its generation, from 1.
    package let number: Int
    /// The SHA-256 of the previous segment's file, or of the base for number 1.
    package let previous: [UInt8]

    /// The size of the header in bytes.
    package static let size = 56
    /// The size of a digest in bytes.
    package static let digestSize = 32
    private static let magic: UInt64 = 0x6c63_6673_6567_3031  // lcfseg01

    /// Creates a header.
    package init(pageSize: Int, number: Int, previous: [UInt8]) {
        self.pageSize = pageSize
        self.number = number
        self.previous = previous
    }

    /// The header in the first bytes of a file; `nil` if they are none of this version.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= SegmentHeader.size, bytes.number(at: 0, as: UInt64.self) == SegmentHeader.magic,
            bytes.number(at: 12, as: UInt32.self) == 0, let number = Int(exactly: bytes.number(at: 16, as: UInt64.self))
        else { return nil }
        pageSize = Int(bytes.number(at: 8, as: UInt32.self))
        guard 512...65_536 ~= pageSize, pageSize & (pageSize - 1) == 0, number > 0 else { return nil }
        self.number = number
        previous = Array(bytes[24..<SegmentHeader.size])
    }

    /// The bytes of the header.
    package var encoded: [UInt8] {
        SegmentHeader.magic.bytes + UInt32(pageSize).bytes + UInt32(0).bytes + UInt64(number).bytes + previous
    }
}

/// The end of a segment's file: 16 bytes, numbers in big endian, and the SHA-256 of all bytes before it.
///
/// ```
/// zero, which is no page's number                  4 bytes
/// the size of the database in pages                4 bytes
/// the time of the last commit, ms since 1970       8 bytes
/// ```
package struct SegmentEnd: Sendable, Equatable {
    /// The size of the database in pages after the segment.
    package let databasePages: UInt32
    /// The time of the last commit in the segment.
    package let time: Timestamp

    /// The size of the end in bytes, without the digest.
    package static let size = 16

    /// Creates an end.
    package init(databasePages: UInt32, time: Timestamp) {
        self.databasePages = databasePages
        self.time = time
    }

    /// The end in bytes; `nil` if there are too few, or no page is left.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= SegmentEnd.size, bytes.number(at: 0, as: UInt32.self) == 0 else { return nil }
        databasePages = bytes.number(at: 4, as: UInt32.self)
        time = Timestamp(milliseconds: Int64(bitPattern: bytes.number(at: 8, as: UInt64.self)))
        guard databasePages > 0 else { return nil }
    }

    /// The bytes of the end, without the digest.
    package var encoded: [UInt8] {
        UInt32(0).bytes + databasePages.bytes + UInt64(bitPattern: time.milliseconds).bytes
    }
}

extension FixedWidthInteger {
    /// The bytes of the number in big endian.
    fileprivate var bytes: [UInt8] {
        withUnsafeBytes(of: bigEndian, Array.init)
    }
}

extension UnsafeRawBufferPointer {
    /// The number of big endian at an offset.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number
    {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
