/// `imageView` and `imageView2`: scales an upright image to fit or cover a box without distortion (protocol/files 5.2,
/// 5.3).
package struct ImageView: Sendable, Hashable {
    /// The relation of the result to the box.
    package enum Mode: Int, Sendable, Hashable {
        /// The long side at most `w`, the short side at most `h`.
        case insideByLength = 0
        /// Covers the box, then crops the box from the centre.
        case cut = 1
        /// Fits inside the box.
        case inside = 2
        /// Covers the box without cropping.
        case around = 3
        /// The long side at least `w`, the short side at least `h`, without cropping.
        case aroundByLength = 4
        /// As mode 4, then crops the box from the centre.
        case cutByLength = 5
    }

    /// The relation of the result to the box.
    package var mode: Mode
    /// In pixels; the size does not change if neither width nor height is given.
    package var width: Int?
    /// In pixels.
    package var height: Int?
    /// Whether this is the old `imageView`: its mode 1 enlarges, and the source does not limit its quality.
    package var isLegacy: Bool
    /// The encoding of the result.
    package var encoding: EncodingParameters
    /// Whether the image stays unchanged after a failure.
    package var ignoresErrors: Bool

    /// Creates an operator from checked numbers.
    package init(
        mode: Mode,
        width: Int?,
        height: Int?,
        isLegacy: Bool = false,
        encoding: EncodingParameters = EncodingParameters(),
        ignoresErrors: Bool = false
    ) {
        self.mode = mode
        self.width = width
        self.height = height
        self.isLegacy = isLegacy
        self.encoding = encoding
        self.ignoresErrors = ignoresErrors
    }

    var canonical: String {
        var text = "\(isLegacy ? "imageView" : "imageView2")/\(mode.rawValue)"
        if let width { text += "/w/\(width)" }
        if let height { text += "/h/\(height)" }
        text += encoding.canonical
        if ignoresErrors { text += "/ignore-error/1" }
        return text
    }
}
