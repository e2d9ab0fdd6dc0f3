internal import Domain

/// What a Windows or OS/2 bitmap says before its pixels: the file header, one of the information headers, masks.
///
/// Sizes are those of the header: nothing is promised about the bytes behind it, and limits are the caller's to check.
struct BMPHeader: Sendable, Hashable {
    /// How pixels are written.
    enum Encoding: Sendable, Hashable {
        /// Places in the palette, of so many bits.
        case indices(bits: Int)
        /// The same, as runs (`BI_RLE4`, `BI_RLE8`).
        case runs(bits: Int)
        /// Numbers of 2, 3 or 4 bytes in which each channel has its bits.
        case channels(BMPChannels, bytes: Int)
    }

    /// Where the palette lies.
    struct Palette: Sendable, Hashable {
        let offset: Int
        /// How many colours, at most those that an index can name.
        let count: Int
        /// 3 bytes in the oldest header, else 4, in the order blue, green, red.
        let entrySize: Int
    }

    /// Sides in pixels, at least 1 each, below 2³².
    let size: ImageSize
    /// Whether the first row is the upper one; ordinary bitmaps stand on their heads.
    let isTopDown: Bool
    let bitsPerPixel: Int
    let encoding: Encoding
    let palette: Palette?
    /// Where the pixels begin.
    let pixelOffset: Int

    /// Whether parts may be transparent.
    var hasAlpha: Bool {
        if case .channels(let channels, _) = encoding { channels.hasAlpha } else { false }
    }

    /// As `imageInfo` writes it.
    var colorModel: String {
        palette.map { "palette\($0.count)" } ?? (hasAlpha ? "nrgba" : "rgba")
    }

    /// The length of the file header that comes first.
    static let fileHeaderSize = 14

    /// The lengths of the information headers: Windows and OS/2 1.x, Windows 3, with three and four masks, OS/2 2.x,
    /// Windows 4 and 5.
    static let headerSizes: Set = [12, 40, 52, 56, 64, 108, 124]

    /// How many bytes hold every header, masks included.
    static let maxLength = fileHeaderSize + 124

    /// Reads the first bytes of a bitmap, ``maxLength`` of them or all there are.
    init(_ bytes: UnsafeRawBufferPointer) throws(BMPError) {
        let cursor = ByteCursor(bytes)
        guard cursor.holds("BM".utf8), let pixelOffset = cursor.little32(at: 10),
            let headerSize = cursor.little32(at: 14).map(Int.init), BMPHeader.headerSizes.contains(headerSize)
        else { throw .notBitmap }
        let fields = try headerSize == 12 ? Fields(core: cursor) : Fields(info: cursor, headerSize: headerSize)
        guard fields.width > 0, fields.height != 0 else { throw .broken("size") }
        size = ImageSize(width: fields.width, height: abs(fields.height))
        isTopDown = fields.height < 0
        bitsPerPixel = fields.bits

        var end = BMPHeader.fileHeaderSize + headerSize
        switch (fields.compression, fields.bits) {
        case (.none, 1), (.none, 2), (.none, 4), (.none, 8): encoding = .indices(bits: fields.bits)
        case (.runs8, 8), (.runs4, 4): encoding = .runs(bits: fields.bits)
        case (.none, 16), (.none, 24), (.none, 32):
            encoding = .channels(fields.bits == 16 ? .rgb555 : .rgb, bytes: fields.bits / 8)
        case (.masks(let count), 16), (.masks(let count), 24), (.masks(let count), 32):
            let channels = try BMPChannels(cursor, count: count, bits: fields.bits)
            encoding = .channels(channels, bytes: fields.bits / 8)
            if headerSize == 40 { end += 4 * count }
        default: throw .unsupported("depth of \(fields.bits) bits")
        }

        var paletteEnd = end
        if fields.bits <= 8 {
            let places = 1 << fields.bits
            let count = fields.colors == 0 ? places : fields.colors
            let entrySize = headerSize == 12 ? 3 : 4
            palette = Palette(offset: end, count: min(count, places), entrySize: entrySize)
            paletteEnd += entrySize * count
        } else {
            palette = nil
        }
        // Some writers say nothing, and some forget their palette.
        if pixelOffset == 0 || (palette != nil && pixelOffset == end) {
            self.pixelOffset = paletteEnd
        } else {
            guard pixelOffset >= end else { throw .broken("offset of the pixels") }
            self.pixelOffset = Int(pixelOffset)
        }
    }
}

extension BMPHeader {
    private enum Compression {
        case none
        case runs8
        case runs4
        /// Three or four of them.
        case masks(Int)
    }

    /// What all information headers have in common.
    private struct Fields {
        let width: Int
        /// Negative if the first row is the upper one.
        let height: Int
        let bits: Int
        let compression: Compression
        /// 0 if the header does not say.
        let colors: Int

        /// Reads a `BITMAPCOREHEADER`.
        init(core cursor: ByteCursor) throws(BMPError) {
            guard let width = cursor.little16(at: 18), let height = cursor.little16(at: 20),
                let bits = cursor.little16(at: 24)
            else { throw .truncated }
            self.width = Int(width)
            self.height = Int(height)
            self.bits = Int(bits)
            compression = .none
            colors = 0
        }

        /// Reads a `BITMAPINFOHEADER` or what grew of it.
        init(info cursor: ByteCursor, headerSize: Int) throws(BMPError) {
            guard let width = cursor.little32(at: 18), let height = cursor.little32(at: 22),
                let bits = cursor.little16(at: 28), let compression = cursor.little32(at: 30),
                let colors = cursor.little32(at: 46)
            else { throw .truncated }
            self.width = Int(Int32(bitPattern: width))
            self.height = Int(Int32(bitPattern: height))
            self.bits = Int(bits)
            self.colors = Int(colors)
            switch compression {
            case 0: self.compression = .none
            case 1: self.compression = .runs8
            case 2: self.compression = .runs4
            // In OS/2's header the number stands for fax compression.
            case 3 where headerSize != 64: self.compression = .masks(headerSize >= 56 ? 4 : 3)
            case 6 where headerSize != 64: self.compression = .masks(headerSize == 52 ? 3 : 4)
            // 4 and 5 are a whole JPEG or PNG inside, meant for printers.
            default: throw .unsupported("compression \(compression)")
            }
        }
    }
}
