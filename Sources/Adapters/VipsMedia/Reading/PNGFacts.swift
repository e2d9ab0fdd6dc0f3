internal import Domain

/// Facts from a PNG before its pixels (PNG, third edition, section 11) that libvips does not expose.
struct PNGFacts: Sendable, Hashable {
    /// The colour type, with the numbers of the format.
    enum ColorType: UInt8, Sendable {
        case gray = 0
        case color = 2
        case palette = 3
        case grayWithAlpha = 4
        case colorWithAlpha = 6
    }

    /// Width and height in pixels.
    let size: ImageSize
    /// The bits of a sample or an index: 1, 2, 4, 8 or 16.
    let bitDepth: Int
    let colorType: ColorType
    /// Whether the image is interlaced, so that a decoder must store it in memory.
    let isInterlaced: Bool
    /// The number of colours in the palette; `nil` without a palette.
    let paletteCount: Int?
    /// Whether some colours are declared transparent.
    let hasTransparency: Bool
    /// Whether the file has an animation beside its still image, which libvips does not read.
    let isAnimated: Bool
    /// The number of text chunks before the pixels that are or can be compressed: each can inflate to megabytes while
    /// the header is read.
    let packedTexts: Int
    /// The size of these chunks in bytes; they inflate by a factor of at most 1000.
    let packedBytes: Int
    /// The ranges of the file with the first ``maxPackedTexts`` of these chunks, without colour profiles.
    let textRanges: [Range<Int>]
    /// The ranges of the file with EXIF blocks: the contents of eXIf chunks before the pixels.
    let exifRanges: [Range<Int>]

    /// The maximum number of chunks with compressed text in a file that libvips opens.
    static let maxPackedTexts = 16

    /// Whether the image has transparency.
    var hasAlpha: Bool { hasTransparency || colorType == .grayWithAlpha || colorType == .colorWithAlpha }

    /// The colour model as `imageInfo` writes it.
    var colorModel: String {
        if colorType == .palette { return "palette\(paletteCount ?? 0)" }
        return ColorModel.name(isGray: colorType == .gray, hasAlpha: hasAlpha, isDeep: bitDepth == 16)
    }

    /// Reads the chunks up to the first one with pixels; `nil` unless the file is a PNG with a valid header.
    ///
    /// The window's budget bounds the work.
    init?(_ window: ByteWindow) throws {
        var window = window
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        guard try window.holds(signature, at: 0), try window.big32(at: 8) == 13,
            try window.holds("IHDR".utf8, at: 12), let width = try window.big32(at: 16),
            let height = try window.big32(at: 20), let depth = try window.byte(at: 24),
            let color = try window.byte(at: 25), let colorType = ColorType(rawValue: color),
            let interlace = try window.byte(at: 28), 1...PNGFacts.largest ~= width, 1...PNGFacts.largest ~= height,
            colorType.bitDepths.contains(Int(depth))
        else { return nil }
        size = ImageSize(width: width, height: height)
        bitDepth = Int(depth)
        self.colorType = colorType
        isInterlaced = interlace == 1

        var paletteCount: Int?
        var hasTransparency = false
        var isAnimated = false
        var packedTexts = 0
        var packedBytes = 0
        var textRanges: [Range<Int>] = []
        var exifRanges: [Range<Int>] = []
        // After the signature and the header, whose length, name and checksum take 12 bytes.
        var offset = 8 + 12 + 13
        while let length = try window.big32(at: offset), length <= PNGFacts.largest,
            try !window.holds("IDAT".utf8, at: offset + 4), try !window.holds("IEND".utf8, at: offset + 4)
        {
            if try window.holds("PLTE".utf8, at: offset + 4), length % 3 == 0, 1...256 ~= length / 3 {
                paletteCount = length / 3
            } else if try window.holds("tRNS".utf8, at: offset + 4) {
                hasTransparency = true
            } else if try window.holds("acTL".utf8, at: offset + 4) {
                isAnimated = true
            } else if try window.holds("eXIf".utf8, at: offset + 4) {
                exifRanges.append(offset + 8..<offset + 8 + length)
            } else if try window.holdsPackedText(at: offset) {
                packedTexts += 1
                packedBytes += length
                if textRanges.count < PNGFacts.maxPackedTexts, try !window.holds("iCCP".utf8, at: offset + 4) {
                    textRanges.append(offset..<offset + 12 + length)
                }
            }
            offset += 12 + length
        }
        // Chunks beyond the budget were not checked.
        guard !window.isSpent else { return nil }
        self.paletteCount = paletteCount
        self.hasTransparency = hasTransparency
        self.isAnimated = isAnimated
        self.packedTexts = packedTexts
        self.packedBytes = packedBytes
        self.textRanges = textRanges
        self.exifRanges = exifRanges
    }

    /// Lengths and sides are 31-bit numbers.
    private static let largest = 0x7fff_ffff
}

extension PNGFacts.ColorType {
    /// The bit depths that the format allows.
    fileprivate var bitDepths: [Int] {
        switch self {
        case .gray: [1, 2, 4, 8, 16]
        case .palette: [1, 2, 4, 8]
        case .color, .grayWithAlpha, .colorWithAlpha: [8, 16]
        }
    }
}

extension ByteWindow {
    /// Whether the chunk at an offset contains compressed text; an iTXt has a flag after its keyword of at most 79
    /// bytes.
    fileprivate mutating func holdsPackedText(at chunk: Int) throws -> Bool {
        if try holds("zTXt".utf8, at: chunk + 4) { return true }
        if try holds("iCCP".utf8, at: chunk + 4) { return true }
        guard try holds("iTXt".utf8, at: chunk + 4) else { return false }
        for place in chunk + 8..<chunk + 88 where try byte(at: place) == 0 {
            return try byte(at: place + 1) != 0
        }
        return true
    }
}
