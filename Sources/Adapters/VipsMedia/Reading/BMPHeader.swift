internal import Domain

/// The header of a Windows or OS/2 bitmap: the file header, one of the information headers, and masks.
///
/// Sizes are those of the header: the following bytes are not checked, and the caller checks limits.
struct BMPHeader: Sendable, Hashable {
    /// The encoding of the pixels.
    enum Encoding: Sendable, Hashable {
        /// Palette indexes with this number of bits.
        case indices(bits: Int)
        /// Palette indexes as runs (`BI_RLE4`, `BI_RLE8`).
        case runs(bits: Int)
        /// Numbers of 2, 3 or 4 bytes that contain the bits of each channel.
        case channels(BMPChannels, bytes: Int)
    }

    /// The location of the palette.
    struct Palette: Sendable, Hashable {
        let offset: Int
        /// The number of colours, at most the number of different indexes.
        let count: Int
        /// 3 bytes in the oldest header, otherwise 4, in the order blue, green, red.
        let entrySize: Int
    }

    /// Width and height in pixels, at least 1 each, below 2³².
    let size: ImageSize
    /// Whether the first row is the top one; ordinary bitmaps begin with the bottom row.
    let isTopDown: Bool
    let bitsPerPixel: Int
    let encoding: Encoding
    let palette: Palette?
    /// The offset of the pixels.
    let pixelOffset: Int

    /// Whether the image has transparency.
    var hasAlpha: Bool {
        if case .channels(let channels, _) = encoding { channels.hasAlpha } else { false }
    }

    /// The colour model as `imageInfo` writes it.
    var colorModel: String {
        palette.map { "palette\($0.count)" } ?? (hasAlpha ? "nrgba" : "rgba")
    }

    /// The length of the file header, which comes first.
    static let fileHeaderSize = 14

    /// The lengths of the information headers: Windows and OS/2 1.x, Windows 3, with three and four masks, OS/2 2.x,
    /// Windows 4 and 5.
    static let headerSizes: Set = [12, 40, 52, 56, 64, 108, 124]

    /// The maximum number of bytes of all headers, including masks.
    static let maxLength = fileHeaderSize + 124

    /// Parses the first bytes of a bitmap, ``maxLength`` of them or the whole file.
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
        // Some writers set no offset, and some do not count their palette.
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
        /// Three or four masks.
        case masks(Int)
    }

    /// The fields that all information headers have.
    private struct Fields {
        let width: Int
        /// Negative if the first row is the top one.
        let height: Int
        let bits: Int
        let compression: Compression
        /// 0 if the header does not contain it.
        let colors: Int

        /// Parses a `BITMAPCOREHEADER`.
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

        /// Parses a `BITMAPINFOHEADER` or one of its extensions.
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
            // In OS/2's header this number means fax compression.
            case 3 where headerSize != 64: self.compression = .masks(headerSize >= 56 ? 4 : 3)
            case 6 where headerSize != 64: self.compression = .masks(headerSize == 52 ? 3 : 4)
            // 4 and 5 are an embedded JPEG or PNG, for printers.
            default: throw .unsupported("compression \(compression)")
            }
        }
    }
}
