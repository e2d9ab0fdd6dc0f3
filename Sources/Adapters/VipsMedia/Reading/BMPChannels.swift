/// The bit masks of red, green, blue and alpha in a pixel.
struct BMPChannels: Sendable, Hashable {
    let red: UInt32
    let green: UInt32
    let blue: UInt32
    /// 0 for an image without transparency.
    let alpha: UInt32

    var hasAlpha: Bool { alpha != 0 }

    /// The default of bitmaps with 24 and 32 bits; the fourth byte is unused.
    static let rgb = BMPChannels(red: 0xff_0000, green: 0xff00, blue: 0xff, alpha: 0)

    /// The default of bitmaps with 16 bits.
    static let rgb555 = BMPChannels(red: 0x7c00, green: 0x3e0, blue: 0x1f, alpha: 0)

    private init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Reads three or four masks, whose offset is the same within a large header and after the small one.
    init(_ cursor: ByteCursor, count: Int, bits: Int) throws(BMPError) {
        let start = BMPHeader.fileHeaderSize + 40
        guard let red = cursor.little32(at: start), let green = cursor.little32(at: start + 4),
            let blue = cursor.little32(at: start + 8),
            let alpha = count == 4 ? cursor.little32(at: start + 12) : 0
        else { throw .truncated }
        // Some writers of 32 bits leave the masks empty and mean the usual order with alpha.
        if bits == 32, red | green | blue | alpha == 0 {
            self.init(red: 0xff_0000, green: 0xff00, blue: 0xff, alpha: 0xff00_0000)
            return
        }
        let pixel = UInt32.max >> UInt32(32 - bits)
        for mask in [red, green, blue, alpha & pixel] {
            guard mask & ~pixel == 0, BMPChannels.isContiguous(mask) else { throw .broken("masks") }
        }
        guard red | green | blue != 0 else { throw .broken("masks") }
        // Some writers leave alpha bits beyond the pixel's size in the header of 16 bits.
        self.init(red: red, green: green, blue: blue, alpha: alpha & pixel)
    }

    /// Whether the bits of the mask are contiguous.
    private static func isContiguous(_ mask: UInt32) -> Bool {
        guard mask != 0 else { return true }
        let low = mask >> UInt32(mask.trailingZeroBitCount)
        return low & (low &+ 1) == 0
    }

    /// The byte offset of each channel in a pixel; `nil` unless each channel is one byte.
    var byteOffsets: [Int]? {
        var offsets: [Int] = []
        for mask in hasAlpha ? [red, green, blue, alpha] : [red, green, blue] {
            let offset = mask.trailingZeroBitCount / 8
            guard mask != 0, mask == 0xff << UInt32(8 * offset) else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    /// The scale of each channel, in the order of the result.
    var scales: [Scale] {
        (hasAlpha ? [red, green, blue, alpha] : [red, green, blue]).map(Scale.init)
    }

    /// Scales the bits of one channel to 0 to 255.
    struct Scale {
        private let shift: UInt32
        private let mask: UInt32
        private let values: [UInt8]

        /// Creates a scale from contiguous bits; an empty mask results in 0.
        init(_ mask: UInt32) {
            // More bits make no difference in the result.
            let width = min(mask.nonzeroBitCount, 12)
            let largest = 1 << width - 1
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount + mask.nonzeroBitCount - width)
            self.mask = UInt32(largest)
            values = (0...largest).map { UInt8(largest == 0 ? 0 : ($0 * 255 + largest / 2) / largest) }
        }

        func value(of pixel: UInt32) -> UInt8 {
            values[Int((pixel >> shift) & mask)]
        }
    }
}
