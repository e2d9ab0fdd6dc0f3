/// The segments of a JPEG before its first scan (ITU-T T.81, annex B).
///
/// libjpeg appends each application segment to a list from whose beginning it walks, so its time grows with the square
/// of their number.
struct JPEGSegments {
    /// The maximum number; a colour profile has up to 255 segments, other metadata a few.
    static let most = 1000

    /// Whether at most ``most`` segments come before the first scan; `false` also if the window's budget ends before it.
    let areFew: Bool
    /// The ranges of the file with EXIF blocks: segments APP1 that begin with `Exif`, without marker and length.
    let exifRanges: [Range<Int>]

    /// Reads the markers up to the first scan.
    init(_ window: ByteWindow) throws {
        var window = window
        var exifRanges: [Range<Int>] = []
        areFew = try JPEGSegments.walk(&window, &exifRanges)
        self.exifRanges = exifRanges
    }

    private static func walk(_ window: inout ByteWindow, _ exifRanges: inout [Range<Int>]) throws -> Bool {
        var offset = 2
        var count = 0
        while let marker = try window.jpegMarker(from: &offset) {
            switch marker {
            case 0xda, 0xd9: return true
            // These markers have no length.
            case 0x01, 0xd0...0xd8: continue
            default: break
            }
            count += 1
            guard count <= most else { return false }
            // libjpeg continues behind a length that is too short.
            guard let length = try window.big16(at: offset) else { break }
            if marker == 0xe1, length > 2, try window.holds("Exif".utf8, at: offset + 2) {
                exifRanges.append(offset + 2..<offset + length)
            }
            offset += max(2, length)
        }
        return !window.isSpent
    }
}

extension ByteWindow {
    /// The next marker of a JPEG, with the offset after it; skips stray bytes, as libjpeg does.
    mutating func jpegMarker(from offset: inout Int) throws -> UInt8? {
        var isBehindFF = false
        while let byte = try byte(at: offset) {
            offset += 1
            if isBehindFF, byte != 0xff, byte != 0 { return byte }
            isBehindFF = byte == 0xff
        }
        return nil
    }
}
