/// What the chunks of a WebP say (RFC 9649 section 2).
struct WebPFacts {
    /// How many frames it has; 0 for an image that is not animated.
    let frames: Int

    /// Name, size, place, sides, duration and flags of a frame, before its own chunks.
    private static let frameHeader = 24

    /// Walks the chunks, at most as many as the window lets through; `nil` if it ends before they do.
    init?(_ window: ByteWindow) throws {
        var window = window
        guard try window.holds("RIFF".utf8, at: 0), try window.holds("WEBP".utf8, at: 8) else { return nil }
        var frames = 0
        var offset = 12
        while case let isFrame = try window.holds("ANMF".utf8, at: offset),
            let size = try window.little32(at: offset + 4)
        {
            if isFrame { frames += 1 }
            // Into a frame, as libwebp goes, which finds frames within frames. Odd sizes are padded.
            offset += isFrame ? WebPFacts.frameHeader : 8 + size + size % 2
        }
        guard !window.isSpent else { return nil }
        self.frames = frames
    }
}
