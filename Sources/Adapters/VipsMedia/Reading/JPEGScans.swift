internal import Glibc

/// Counts the scans of a JPEG: a decoder processes all pixels for each scan, and a file of 20 MB can contain a hundred
/// thousand.
enum JPEGScans {
    /// Large enough that the calls take no time beside the search.
    private static let pieceSize = 1 << 18

    /// The number of start-of-scan markers (ITU-T T.81, B.1.1.3), at least 1.
    ///
    /// Coded pixels never contain the bytes of a marker. Other segments can, mostly an embedded thumbnail; counting a
    /// few too many is harmless.
    static func count(in bytes: SourceBytes) -> Int {
        var scans = 0
        var offset = 0
        while true {
            let piece = bytes.read(at: offset, count: pieceSize)
            scans += piece.withUnsafeBytes { markers(in: $0) }
            guard piece.count == pieceSize else { return max(1, scans) }
            // The last byte can be the first one of a marker.
            offset += piece.count - 1
        }
    }

    private static func markers(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        guard var start = bytes.baseAddress else { return 0 }
        let end = start + bytes.count
        while let found = memchr(start, 0xff, end - start) {
            start = UnsafeRawPointer(found) + 1
            if start < end, start.load(as: UInt8.self) == 0xda { count += 1 }
        }
        return count
    }
}
