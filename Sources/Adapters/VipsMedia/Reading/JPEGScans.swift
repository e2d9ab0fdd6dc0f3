internal import Glibc

/// How many scans a JPEG has: a decoder goes over all pixels for each of them, and a file of 20 MB can contain a
/// hundred thousand.
enum JPEGScans {
    /// Large enough that calls cost nothing beside the search.
    private static let pieceSize = 1 << 18

    /// The number of start-of-scan markers (ITU-T T.81, B.1.1.3), at least 1.
    ///
    /// Coded pixels never hold a marker's bytes. Other segments may, an embedded thumbnail mostly: a few too many do no
    /// harm.
    static func count(in bytes: SourceBytes) -> Int {
        var scans = 0
        var offset = 0
        while true {
            let piece = bytes.read(at: offset, count: pieceSize)
            scans += piece.withUnsafeBytes { markers(in: $0) }
            guard piece.count == pieceSize else { return max(1, scans) }
            // The last byte may be the first one of a marker.
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
