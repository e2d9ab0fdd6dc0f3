/// Facts from the chunks of a WebP (RFC 9649 section 2).
struct WebPFacts {
    /// The number of frames; 0 for an image that is not animated.
    let frames: Int
    /// The ranges of the file with EXIF blocks: the contents of EXIF chunks.
    let exifRanges: [Range<Int>]

    /// The size in bytes of name, length, offset, dimensions, duration and flags of a frame, before its own chunks.
    private static let frameHeader = 24

    /// Reads the chunks; `nil` if the window's budget ends before them.
    init?(_ window: ByteWindow) throws {
        var window = window
        guard try window.holds("RIFF".utf8, at: 0), try window.holds("WEBP".utf8, at: 8) else { return nil }
        var frames = 0
        var exifRanges: [Range<Int>] = []
        var offset = 12
        while case let isFrame = try window.holds("ANMF".utf8, at: offset),
            let size = try window.little32(at: offset + 4)
        {
            if isFrame { frames += 1 }
            if try window.holds("EXIF".utf8, at: offset) { exifRanges.append(offset + 8..<offset + 8 + size) }
            // Enters a frame as libwebp does, which also finds nested frames. Odd sizes are padded.
            offset += isFrame ? WebPFacts.frameHeader : 8 + size + size % 2
        }
        guard !window.isSpent else { return nil }
        self.frames = frames
        self.exifRanges = exifRanges
    }
}
