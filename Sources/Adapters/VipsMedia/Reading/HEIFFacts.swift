/// Facts from the boxes of a HEIC or AVIF (ISO 14496-12, section 4.2) that libheif does not expose.
struct HEIFFacts {
    /// Whether the file has a sequence of images beside its still image, or so many boxes that the rest is unknown.
    ///
    /// Browsers show such a file as an animation; libheif reads the still image only.
    let isSequence: Bool

    /// Reads the heads of the outermost boxes up to that of a sequence; the window's budget bounds the work.
    init(_ window: ByteWindow) throws {
        var window = window
        var isSequence = false
        var offset = 0
        while !isSequence, let short = try window.big32(at: offset) {
            isSequence = try window.holds("moov".utf8, at: offset + 4)
            guard let length = try HEIFFacts.length(short, of: offset, &window) else { break }
            offset += length
        }
        self.isSequence = isSequence || window.isSpent
    }

    /// The length of a box in bytes; `nil` for the last one, and for one that is shorter than its head.
    private static func length(_ short: Int, of offset: Int, _ window: inout ByteWindow) throws -> Int? {
        guard short == 1 else { return short >= 8 ? short : nil }
        // A length of 64 bits follows the name; no file is as long as 2^48 bytes.
        guard let high = try window.big32(at: offset + 8), let low = try window.big32(at: offset + 12),
            high < 1 << 16, case let length = high << 32 | low, length >= 16
        else { return nil }
        return length
    }
}
