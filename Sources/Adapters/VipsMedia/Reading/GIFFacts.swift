/// Facts from the blocks of a GIF (GIF89a, sections 17 to 27): libvips stops counting frames at a limit, and treats a
/// truncated last frame as complete.
struct GIFFacts: Sendable, Hashable {
    /// The number of frames; the last one can be truncated.
    let frames: Int
    /// Whether the file does not end within a frame.
    let isWhole: Bool

    /// Reads all blocks within the window's budget; `nil` if the file is not a GIF.
    init?(_ window: ByteWindow) throws {
        var walk = GIFWalk(window: window)
        guard try walk.window.holds("GIF8".utf8, at: 0), let flags = try walk.window.byte(at: 10) else { return nil }
        walk.offset = 13 + GIFWalk.tableSize(flags)
        isWhole = try walk.run()
        frames = walk.frames
    }
}

/// Iterates over the blocks.
private struct GIFWalk {
    var window: ByteWindow
    var offset = 0
    var frames = 0

    init(window: ByteWindow) {
        self.window = window
    }

    /// Reads the blocks; returns whether the file ends at the end of a block.
    mutating func run() throws -> Bool {
        while let block = try window.byte(at: offset) {
            switch block {
            case 0x21: offset += 2
            case 0x2c:
                frames += 1
                guard let flags = try window.byte(at: offset + 9) else { return false }
                // After the table, one byte has the minimum code size.
                offset += 10 + GIFWalk.tableSize(flags) + 1
            // The trailer, or a byte that decoders treat as the end.
            default: return true
            }
            guard try skipData() else { return false }
        }
        return !window.isSpent
    }

    /// Skips sub-blocks, each preceded by its length, up to the empty one; returns `false` if the file ends before.
    private mutating func skipData() throws -> Bool {
        while let length = try window.byte(at: offset) {
            offset += 1 + Int(length)
            if length == 0 { return true }
        }
        return false
    }

    /// The size in bytes of the colour table that the flags announce.
    static func tableSize(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 0x07) + 1)
    }
}
