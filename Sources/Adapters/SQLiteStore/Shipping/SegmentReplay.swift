package import Domain
internal import Glibc

/// Writes the pages of segments into a copy of a database that is not open elsewhere.
package enum SegmentReplay {
    private static let pieceSize = 1 << 18
    /// The offset of the page size in a database's file, and the offset behind it.
    private static let pageSizeRange = 16..<18

    /// Applies a segment to a database.
    ///
    /// The segment is read twice, because a defect must not change the database.
    ///
    /// - Parameters:
    ///   - segment: The file of the segment.
    ///   - database: The file of the database.
    ///   - link: The end of the chain before the segment.
    /// - Returns: The end of the chain after it.
    /// - Throws: ``SegmentDefect``, before a byte is changed; ``OpenFailure`` if a file cannot be read or written.
    package static func apply(
        _ segment: String,
        to database: String,
        after link: SegmentLink
    ) throws -> SegmentLink {
        do {
            let source = try LogDescriptor(segment)
            let target = try LogDescriptor(database, flags: O_RDWR)
            let facts = try read(source) { _, _ in }
            let next = try link.followed(by: facts)
            let size = facts.header.pageSize
            guard try pageSize(of: target) == size else {
                throw SegmentDefect("has pages of \(size) bytes, unlike the database")
            }
            _ = try read(source) { number, page in
                try target.write(page, at: Int64(number - 1) * Int64(size))
            }
            try target.truncate(to: Int64(facts.end.databasePages) * Int64(size))
            return next
        } catch let failure as SystemFailure {
            throw OpenFailure(message: "cannot take the segment \(segment) (\(failure))")
        }
    }

    private static func read(
        _ file: LogDescriptor,
        _ body: (UInt32, UnsafeRawBufferPointer) throws -> Void
    ) throws -> SegmentFacts {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        defer { piece.deallocate() }
        var decoder = SegmentDecoder()
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: piece, at: offset)
            if count == 0 { return try decoder.finish() }
            try decoder.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]), body)
            offset += Int64(count)
        }
    }

    /// The size of the database's pages; `nil` if its header has none.
    private static func pageSize(of database: LogDescriptor) throws -> Int? {
        var bytes: UInt16 = 0
        let count = try withUnsafeMutableBytes(of: &bytes) { bytes in
            try database.read(into: bytes, at: Int64(pageSizeRange.lowerBound))
        }
        guard count == pageSizeRange.count else { return nil }
        let number = UInt16(bigEndian: bytes)
        // 65 536 does not fit, so SQLite writes 1.
        return number == 1 ? 65_536 : Int(number)
    }
}
