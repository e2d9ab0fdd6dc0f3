/// What an image says of itself before a pixel is decoded.
package struct ImageHeader: Sendable, Hashable {
    /// The format of its bytes.
    package var format: SourceFormat
    /// As the pixels lie, before any EXIF orientation; of one frame.
    package var size: ImageSize
    /// 1 for an image that is not animated.
    package var frames: Int
    /// The EXIF orientation, 1 to 8; 1 if there is none.
    package var orientation: Int
    /// Whether EXIF says an orientation at all.
    package var hasOrientation: Bool
    /// Whether parts may be transparent.
    package var hasAlpha: Bool
    /// Channels, alpha among them.
    package var bands: Int
    /// Of one channel.
    package var bitsPerSample: Int
    /// As Qiniu's `imageInfo` writes it: `ycbcr`, `nrgba`.
    package var colorModel: String
    /// Whether all of it must be held in memory before a line is known: progressive JPEGs and those of several scans,
    /// interlaced PNGs.
    package var isProgressive: Bool
    /// A JPEG's quality, 1 to 100, guessed from its tables.
    package var quality: Int?
    /// Whether it brings a colour profile.
    package var hasProfile: Bool
    /// How often a decoder goes over the pixels of a JPEG that is progressive.
    package var scans = 10
    /// All bytes of the file; 0 if they were not requested.
    package var fileSize = 0

    /// Takes what a renderer read; what is left out is that of an ordinary photograph.
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

    /// Whether the orientation swaps the sides.
    package var isTurned: Bool { orientation >= 5 }

    /// The size once it stands upright.
    package var uprightSize: ImageSize { isTurned ? size.turned : size }
}

/// The formats that are read.
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

    /// Whether the disposable worker process decodes its pixels: its library is not fuzzed upstream, or takes what
    /// memory and time it likes whatever the header says, as those of HEIC and AVIF do, and tiles and pages of a TIFF.
    package var isDecodedByWorker: Bool {
        switch self {
        case .tiff, .heic, .avif, .svg, .pdf, .jxl, .jp2: true
        case .jpeg, .png, .webp, .gif, .bmp: false
        }
    }

    /// Whether even its header is read there.
    package var isReadByWorker: Bool {
        switch self {
        case .svg, .pdf, .jxl, .jp2: true
        case .jpeg, .png, .webp, .gif, .tiff, .bmp, .heic, .avif: false
        }
    }

    /// The default format of a derivative: the same format, or the nearest one that browsers show.
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
