/// The properties of an image that its header contains.
package struct ImageHeader: Sendable, Hashable {
    /// The format of its bytes.
    package var format: SourceFormat
    /// The size of one frame as stored, before any EXIF orientation.
    package var size: ImageSize
    /// 1 for an image that is not animated.
    package var frames: Int
    /// Whether the file has frames that the server cannot read: those of an animated PNG, or of a sequence in AVIF or
    /// HEIC, of which it reads the still image only.
    package var hasUnreadFrames = false
    /// The EXIF orientation, 1 to 8; 1 if there is none.
    package var orientation: Int
    /// Whether EXIF contains an orientation.
    package var hasOrientation: Bool
    /// Whether the image has transparency.
    package var hasAlpha: Bool
    /// The number of channels, including alpha.
    package var bands: Int
    /// The bits of one channel.
    package var bitsPerSample: Int
    /// The colour model as Qiniu's `imageInfo` writes it: `ycbcr`, `nrgba`.
    package var colorModel: String
    /// Whether the whole image must be in memory before its first line is known: progressive JPEGs and those of several
    /// scans, interlaced PNGs.
    package var isProgressive: Bool
    /// A JPEG's quality, 1 to 100, estimated from its quantization tables.
    package var quality: Int?
    /// Whether it has a colour profile of its colour model; others are ignored.
    package var hasProfile: Bool
    /// How many times a decoder processes the pixels of a progressive JPEG.
    package var scans = 10
    /// The size of the file in bytes; 0 if it was not requested.
    package var fileSize = 0

    /// Creates a header; the defaults are those of an ordinary photograph.
    package init(
        format: SourceFormat,
        size: ImageSize,
        frames: Int = 1,
        orientation: Int = 1,
        hasOrientation: Bool = false,
        hasAlpha: Bool = false,
        bands: Int = 3,
        bitsPerSample: Int = 8,
        colorModel: String = "ycbcr",
        isProgressive: Bool = false,
        quality: Int? = nil,
        hasProfile: Bool = false
    ) {
        self.format = format
        self.size = size
        self.frames = frames
        self.orientation = orientation
        self.hasOrientation = hasOrientation
        self.hasAlpha = hasAlpha
        self.bands = bands
        self.bitsPerSample = bitsPerSample
        self.colorModel = colorModel
        self.isProgressive = isProgressive
        self.quality = quality
        self.hasProfile = hasProfile
    }

    /// Whether the orientation swaps width and height.
    package var isTurned: Bool { orientation >= 5 }

    /// The size after the orientation is applied.
    package var uprightSize: ImageSize { isTurned ? size.turned : size }
}

/// The supported source formats.
package enum SourceFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case webp
    case gif
    case tiff
    case bmp
    case heic
    case avif
    case svg
    case pdf
    case jxl
    case jp2

    /// Whether the worker process decodes the pixels: the library is not fuzzed upstream, or its memory and time have
    /// no bound that the header shows, as with HEIC, AVIF, and tiles and pages of a TIFF.
    package var isDecodedByWorker: Bool {
        switch self {
        case .tiff, .heic, .avif, .svg, .pdf, .jxl, .jp2: true
        case .jpeg, .png, .webp, .gif, .bmp: false
        }
    }

    /// Whether the worker process also reads the header: libheif ends its process if bytes are missing or a read fails,
    /// and reads all metadata, of any number and size, when it opens a file.
    package var isReadByWorker: Bool {
        switch self {
        case .heic, .avif, .svg, .pdf, .jxl, .jp2: true
        case .jpeg, .png, .webp, .gif, .tiff, .bmp: false
        }
    }

    /// Whether it is a HEIC or AVIF, which libheif reads.
    package var isHEIF: Bool { self == .heic || self == .avif }

    /// The default format of a derivative: the same format, or the nearest one that browsers support.
    package func ownResult(hasAlpha: Bool) -> ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png, .svg: .png
        case .webp: .webp
        case .gif: .gif
        case .avif: .avif
        case .heic, .tiff, .bmp, .pdf, .jxl, .jp2: hasAlpha ? .png : .jpeg
        }
    }
}
