internal import Domain
internal import Glibc

/// A segment that takes no more pages, without its header and end.
struct CutSegment: Sendable {
    /// The file that ``SegmentDraft`` wrote.
    let path: String
    /// The size of the file in bytes.
    let size: Int64
    let pageSize: Int
    /// The size of the database in pages.
    let databasePages: UInt32
    /// The time of the first commit.
    let oldest: Timestamp
    /// The time of the last commit.
    let time: Timestamp

    private static let pieceSize = 1 << 18

    /// Writes the header and the end.
    ///
    /// - Parameters:
    ///   - number: The number of the segment.
    ///   - previous: The digest of the file before it.
    /// - Returns: The size of the whole file and its digest.
    /// - Throws: ``SystemFailure``.
    func finish(number: Int, previous: [UInt8]) throws(SystemFailure) -> (size: Int64, digest: [UInt8]) {
        let file = try LogDescriptor(path, flags: O_RDWR)
        try file.write(SegmentHeader(pageSize: pageSize, number: number, previous: previous).encoded, at: 0)
        try file.write(SegmentEnd(databasePages: databasePages, time: time).encoded, at: size)
        let end = size + Int64(SegmentEnd.size)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: CutSegment.pieceSize, alignment: 16)
        defer { piece.deallocate() }
        var hash = SegmentHash()
        var offset: Int64 = 0
        while offset < end {
            let count = try file.read(into: piece, at: offset)
            guard count > 0 else { throw SystemFailure(number: EIO) }
            hash.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]))
            offset += Int64(count)
        }
        let digest = hash.digest
        try file.write(digest, at: end)
        return (end + Int64(digest.count), digest)
    }
}

extension LogDescriptor {
    /// Writes all bytes at an offset.
    func write(_ bytes: [UInt8], at offset: Int64) throws(SystemFailure) {
        var failure: SystemFailure?
        bytes.withUnsafeBytes { bytes in
            do throws(SystemFailure) {
                try write(bytes, at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
