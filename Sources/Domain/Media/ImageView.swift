/// `imageView` and `imageView2`: an image in or around a box, upright, never distorted (protocol/files 5.2, 5.3).
package struct ImageView: Sendable, Hashable {
    /// How the image meets the box.
    package enum Mode: Int, Sendable, Hashable {
        /// The long side at most `w`, the short side at most `h`.
        case insideByLength = 0
        /// Around the box, then the box cut out of the centre.
        case cut = 1
        /// Inside the box.
        case inside = 2
        /// Around the box, uncut.
        case around = 3
        /// The long side at least `w`, the short side at least `h`, uncut.
        case aroundByLength = 4
        /// As mode 4, then the box cut out of the centre.
        case cutByLength = 5
    }

    /// How the image meets the box.
    package var mode: Mode
    /// In pixels; at least one of both sides is given.
    package var width: Int?
    /// In pixels.
    package var height: Int?
    /// Whether this is the old `imageView`: its mode 1 enlarges, and its quality does not follow the source's.
    package var isLegacy: Bool
    /// How the result is encoded.
    package var encoding: EncodingParameters
    /// Whether a failure leaves the image as it was.
    package var ignoresErrors: Bool

    /// Takes checked numbers.
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
