/// Which bits of a pixel are its red, green, blue and alpha.
struct BMPChannels: Sendable, Hashable {
    let red: UInt32
    let green: UInt32
    let blue: UInt32
    /// 0 for an image without transparency.
    let alpha: UInt32

    var hasAlpha: Bool { alpha != 0 }

    /// What bitmaps of 24 and 32 bits have unless they say otherwise; the fourth byte means nothing.
    static let rgb = BMPChannels(red: 0xff_0000, green: 0xff00, blue: 0xff, alpha: 0)

    /// What bitmaps of 16 bits have unless they say otherwise.
    static let rgb555 = BMPChannels(red: 0x7c00, green: 0x3e0, blue: 0x1f, alpha: 0)

    private init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Reads three or four masks, which stand in the larger headers or behind the small one, at the same place.
    init(_ cursor: ByteCursor, count: Int, bits: Int) throws(BMPError) {
        let start = BMPHeader.fileHeaderSize + 40
        guard let red = cursor.little32(at: start), let green = cursor.little32(at: start + 4),
            let blue = cursor.little32(at: start + 8),
            let alpha = count == 4 ? cursor.little32(at: start + 12) : 0
        else { throw .truncated }
        // Some writers of 32 bits leave the masks out and mean the usual order with alpha.
        if bits == 32, red | green | blue | alpha == 0 {
            self.init(red: 0xff_0000, green: 0xff00, blue: 0xff, alpha: 0xff00_0000)
            return
        }
        let pixel = UInt32.max >> UInt32(32 - bits)
        for mask in [red, green, blue, alpha & pixel] {
            guard mask & ~pixel == 0, BMPChannels.isContiguous(mask) else { throw .broken("masks") }
        }
        guard red | green | blue != 0 else { throw .broken("masks") }
        // An alpha beyond the pixel's bits is what careless writers leave in the header of 16 bits.
        self.init(red: red, green: green, blue: blue, alpha: alpha & pixel)
    }

    /// Whether the bits stand side by side.
    private static func isContiguous(_ mask: UInt32) -> Bool {
        guard mask != 0 else { return true }
        let low = mask >> UInt32(mask.trailingZeroBitCount)
        return low & (low &+ 1) == 0
    }

    /// The place of each channel in a pixel, if each has a byte of its own.
    var byteOffsets: [Int]? {
        var offsets: [Int] = []
        for mask in hasAlpha ? [red, green, blue, alpha] : [red, green, blue] {
            let offset = mask.trailingZeroBitCount / 8
            guard mask != 0, mask == 0xff << UInt32(8 * offset) else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    /// Each channel as a table of its values, in the order of the result.
    var scales: [Scale] {
        (hasAlpha ? [red, green, blue, alpha] : [red, green, blue]).map(Scale.init)
    }

    /// Turns the bits of one channel into 0 to 255.
    struct Scale {
        private let shift: UInt32
        private let mask: UInt32
        private let values: [UInt8]

        /// Takes bits side by side; without any, the channel is 0.
        init(_ mask: UInt32) {
            // Finer steps than these make no difference in the result.
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
