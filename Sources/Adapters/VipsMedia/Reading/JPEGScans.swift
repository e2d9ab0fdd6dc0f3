internal import Glibc

/// Counts the scans of a JPEG: a decoder processes all pixels for each scan, and a file of 20 MB can contain a hundred
/// thousand.
enum JPEGScans {
    /// The maximum number of application segments and comments in a file of several scans.
    ///
    /// A decoder stores those between scans as it does those before, in a time that grows with the square of their
    /// number.
    static let maxSegments = 1000

    /// The number of scans (ITU-T T.81, B.1.1.3), at least 1.
    static func count(in bytes: SourceBytes) -> Int {
        counts(in: bytes).scans
    }

    /// The numbers of ``count(in:)`` and of application segments and comments, up to the end of the image.
    ///
    /// The contents of segments, for instance a thumbnail, and bytes behind the image do not count.
    static func counts(in bytes: SourceBytes) -> (scans: Int, segments: Int) {
        var (scans, segments) = (0, 0)
        var walk = JPEGMarkers(bytes)
        while let marker = walk.next() {
            switch marker {
            case 0xda: scans += 1
            case 0xe0...0xef, 0xfe: segments += 1
            case 0xd9: return (max(1, scans), segments)
            // These markers have no length.
            case ..<0xc0, 0xd0...0xd8: continue
            default: break
            }
            walk.skipSegment()
        }
        return (max(1, scans), segments)
    }
}

/// The markers of a JPEG in their order, also those behind coded pixels (ITU-T T.81, B.1.1.2).
private struct JPEGMarkers {
    /// Large enough that the calls take no time beside the search.
    private static let pieceSize = 1 << 18

    private let bytes: SourceBytes
    private var piece: [UInt8] = []
    /// The offset of the piece in the file.
    private var start = 0
    /// The offset of the next byte in the file; never less than that of the piece.
    private var offset = 0

    init(_ bytes: SourceBytes) {
        self.bytes = bytes
    }

    /// The next marker; skips stray bytes and coded pixels, as libjpeg does.
    mutating func next() -> UInt8? {
        while skipToMarker() {
            // Any number of FF can come before a marker; after FF, 00 stands for a coded FF.
            while let byte = nextByte() {
                guard byte == 0xff else {
                    if byte == 0 { break }
                    return byte
                }
            }
        }
        return nil
    }

    /// Skips the segment of the last marker; one with a length that is too short ends behind it, as for libjpeg.
    mutating func skipSegment() {
        guard let high = nextByte(), let low = nextByte() else { return }
        offset += max(0, (Int(high) << 8 | Int(low)) - 2)
    }

    /// Skips everything up to the next FF, and this byte; returns whether there is one.
    private mutating func skipToMarker() -> Bool {
        while hasByte() {
            let index = offset - start
            let distance = piece.withUnsafeBytes { piece -> Int? in
                guard let first = piece.baseAddress.map({ $0 + index }),
                    let found = memchr(first, 0xff, piece.count - index)
                else { return nil }
                return first.distance(to: UnsafeRawPointer(found))
            }
            guard let distance else {
                offset = start + piece.count
                continue
            }
            offset += distance + 1
            return true
        }
        return false
    }

    private mutating func nextByte() -> UInt8? {
        guard hasByte() else { return nil }
        defer { offset += 1 }
        return piece[offset - start]
    }

    /// Reads the piece with the next byte; returns `false` at the end.
    private mutating func hasByte() -> Bool {
        if offset - start >= piece.count {
            piece = bytes.read(at: offset, count: JPEGMarkers.pieceSize)
            start = offset
        }
        return !piece.isEmpty
    }
}
