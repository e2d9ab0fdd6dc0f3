internal import Glibc

/// Counts the scans of a JPEG: a decoder processes all pixels for each scan, and a file of 20 MB can contain a hundred
/// thousand.
enum JPEGScans {
    /// Large enough that the calls take no time beside the search.
    private static let pieceSize = 1 << 18
    /// The maximum number of application segments and comments in a file of several scans.
    ///
    /// A decoder stores those between scans as it does those before, in a time that grows with the square of their
    /// number. Chance makes 5000 in 20 MB of other segments.
    static let maxSegments = 10_000

    /// The number of start-of-scan markers (ITU-T T.81, B.1.1.3), at least 1.
    ///
    /// Coded pixels never contain the bytes of a marker. Other segments can, mostly an embedded thumbnail; counting a
    /// few too many is harmless.
    static func count(in bytes: SourceBytes) -> Int {
        counts(in: bytes).scans
    }

    /// The numbers of ``count(in:)`` and of markers of application segments and comments.
    static func counts(in bytes: SourceBytes) -> (scans: Int, segments: Int) {
        var (scans, segments) = (0, 0)
        var offset = 0
        while true {
            let piece = bytes.read(at: offset, count: pieceSize)
            let found = piece.withUnsafeBytes { markers(in: $0) }
            scans += found.scans
            segments += found.segments
            guard piece.count == pieceSize else { return (max(1, scans), segments) }
            // The last byte can be the first one of a marker.
            offset += piece.count - 1
        }
    }

    private static func markers(in bytes: UnsafeRawBufferPointer) -> (scans: Int, segments: Int) {
        var (scans, segments) = (0, 0)
        guard var start = bytes.baseAddress else { return (0, 0) }
        let end = start + bytes.count
        while let found = memchr(start, 0xff, end - start) {
            start = UnsafeRawPointer(found) + 1
            guard start < end else { break }
            switch start.load(as: UInt8.self) {
            case 0xda: scans += 1
            case 0xe0...0xef, 0xfe: segments += 1
            default: break
            }
        }
        return (scans, segments)
    }
}
