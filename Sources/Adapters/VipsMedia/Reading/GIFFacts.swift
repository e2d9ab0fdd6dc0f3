/// What the blocks of a GIF say (GIF89a, sections 17 to 27): libvips stops counting frames at some number, and takes
/// one that is cut off for whole.
struct GIFFacts: Sendable, Hashable {
    /// How many frames it has, the last one perhaps cut off.
    let frames: Int
    /// Whether it does not end within a frame.
    let isWhole: Bool

    /// Walks all blocks, at most as many as the window lets through; `nil` if that is no GIF.
    init?(_ window: ByteWindow) throws {
        var walk = GIFWalk(window: window)
        guard try walk.window.holds("GIF8".utf8, at: 0), let flags = try walk.window.byte(at: 10) else { return nil }
        walk.offset = 13 + GIFWalk.tableSize(flags)
        isWhole = try walk.run()
        frames = walk.frames
    }
}

/// Goes from block to block.
private struct GIFWalk {
    var window: ByteWindow
    var offset = 0
    var frames = 0

    init(window: ByteWindow) {
        self.window = window
    }

    /// Whether the end comes where a block may begin.
    mutating func run() throws -> Bool {
        while let block = try window.byte(at: offset) {
            switch block {
            case 0x21: offset += 2
            case 0x2c:
                frames += 1
                guard let flags = try window.byte(at: offset + 9) else { return false }
                // Behind the table stands how wide the codes are.
                offset += 10 + GIFWalk.tableSize(flags) + 1
            // The trailer, or what decoders take for the end.
            default: return true
            }
            guard try skipData() else { return false }
        }
        return !window.isSpent
    }

    /// Passes over pieces of data, each with its length before it, up to the empty one; false if they end before.
    private mutating func skipData() throws -> Bool {
        while let length = try window.byte(at: offset) {
            offset += 1 + Int(length)
            if length == 0 { return true }
        }
        return false
    }

    /// The bytes of a table of colours, which flags announce.
    static func tableSize(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 0x07) + 1)
    }
}
