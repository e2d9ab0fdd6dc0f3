/// The formats that a derivative can have.
package enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case webp
    case gif
    case avif

    /// Parses the value of a URL: `jpg` or a format's name, in any case.
    package init?(name value: some StringProtocol) {
        let name = value.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    /// The media type of a derivative in this format.
    package var mediaType: MediaType {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .gif: .gif
        case .avif: .avif
        }
    }

    /// Whether the format supports animation.
    package var canBeAnimated: Bool { self == .gif || self == .webp }

    /// Whether viewers rotate images of this format by EXIF: GIF has no EXIF, and AVIF ignores its orientation.
    package var keepsOrientation: Bool { self != .gif && self != .avif }

    /// The maximum width and height that the format can store: the 14 bits of WebP (RFC 6386, section 9.1), libjpeg's
    /// limit, the 16 bits of GIF and AVIF; libvips' limit for PNG.
    var maxSide: Int {
        switch self {
        case .webp: 16_383
        case .jpeg: 65_500
        case .gif, .avif: 65_535
        case .png: 10_000_000
        }
    }
}

/// How a derivative is encoded: the common parameters of `imageView2` and `imageMogr2` (protocol/files 5.3).
package struct EncodingParameters: Sendable, Hashable {
    /// `nil` means the source's format.
    package var format: ImageFormat?
    /// 1 to 100; `nil` means the operator's default.
    package var quality: Int?
    /// Whether the quality applies regardless of the source's quality (`q/90!`).
    package var isQualityForced = false
    /// Whether a JPEG is progressive (`interlace/1`).
    package var isProgressive = false
    /// The maximum number of colours of a GIF, 2 to 256.
    package var colors: Int?

    /// Creates parameters with the defaults.
    package init() {}

    var canonical: String {
        var text = ""
        if let format { text += "/format/\(format.rawValue)" }
        if let quality { text += "/q/\(quality)\(isQualityForced ? "!" : "")" }
        if isProgressive { text += "/interlace/1" }
        if let colors { text += "/colors/\(colors)" }
        return text
    }
}
