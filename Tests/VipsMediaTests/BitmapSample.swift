@testable import VipsMedia

/// Bitmaps made by hand, field by field as Windows' `BITMAPFILEHEADER` and its followers have them.
struct BitmapSample {
    var width = 2
    /// Negative if the first row is the upper one.
    var height = 2
    var bits = 24
    var compression = 0
    /// 12 makes the oldest header, which has fewer fields.
    var headerSize = 40
    /// Colours that the header announces.
    var colors = 0
    var masks: [UInt32] = []
    /// Red, green and blue of each colour.
    var palette: [[UInt8]] = []
    /// Between the headers and the pixels.
    var gap = 0
    /// Written instead of where the pixels lie.
    var offset: Int?
    /// As they stand in the file.
    var pixels: [UInt8] = []

    var bytes: [UInt8] {
        var header = little(headerSize, 4)
        if headerSize == 12 {
            header += little(width, 2) + little(height, 2) + little(1, 2) + little(bits, 2)
        } else {
            header += little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2) + little(compression, 4)
            header += little(pixels.count, 4) + little(2835, 4) + little(2835, 4) + little(colors, 4) + little(0, 4)
            header += masks.flatMap { little(Int($0), 4) }
            header += [UInt8](repeating: 0, count: max(0, headerSize - header.count))
        }
        header += palette.flatMap { color in color.reversed() + (headerSize == 12 ? [] : [0x77]) }
        header += [UInt8](repeating: 0xee, count: gap)
        let start = offset ?? 14 + header.count
        return Array("BM".utf8) + little(14 + header.count + pixels.count, 4) + little(0, 4) + little(start, 4) + header
            + pixels
    }

    /// The low bytes of a number, the lowest first.
    private func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Red, green, blue and white.
    static let fourColors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]

    /// One of each kind, all of two rows or more.
    static let all: [BitmapSample] = [
        BitmapSample(width: 4, pixels: Array(0..<24)),
        BitmapSample(headerSize: 12, pixels: [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]),
        BitmapSample(height: -2, bits: 32, headerSize: 124, pixels: Array(0..<16)),
        BitmapSample(bits: 16, pixels: Array(0..<8)),
        BitmapSample(bits: 16, compression: 3, masks: [0xf800, 0x7e0, 0x1f], pixels: Array(0..<8)),
        BitmapSample(
            bits: 32,
            compression: 3,
            headerSize: 108,
            masks: [0xff_0000, 0xff00, 0xff, 0xff00_0000],
            pixels: Array(0..<16)
        ),
        BitmapSample(
            bits: 32,
            compression: 6,
            masks: [0x3ff0_0000, 0xffc00, 0x3ff, 0xc000_0000],
            pixels: Array(0..<16)
        ),
        BitmapSample(bits: 1, colors: 2, palette: fourColors, pixels: [0x40, 0, 0, 0, 0x80, 0, 0, 0]),
        BitmapSample(
            width: 9,
            bits: 2,
            palette: fourColors,
            gap: 3,
            pixels: [0x1b, 0xe4, 0x40, 0, 0x1b, 0xe4, 0x40, 0]
        ),
        BitmapSample(width: 3, bits: 4, colors: 4, palette: fourColors, pixels: [0x01, 0x20, 0, 0, 0x32, 0x10, 0, 0]),
        BitmapSample(bits: 8, colors: 4, palette: fourColors, pixels: [0, 1, 0, 0, 2, 3, 0, 0]),
        BitmapSample(
            width: 8,
            height: 3,
            bits: 8,
            compression: 1,
            palette: fourColors,
            pixels: [3, 1, 0, 3, 2, 3, 0, 9, 0, 0, 0, 2, 4, 1, 0, 3, 1, 2, 3, 9, 0, 1]
        ),
        BitmapSample(
            width: 8,
            height: 3,
            bits: 4,
            compression: 2,
            palette: fourColors,
            pixels: [5, 0x12, 0, 3, 0x12, 0x30, 0, 0, 0, 2, 2, 1, 6, 0x31, 0, 1]
        ),
    ]
}
