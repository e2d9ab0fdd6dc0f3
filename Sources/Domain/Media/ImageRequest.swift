/// What to make of an image: a checked value, whatever the URL said.
package struct ImageRequest: Sendable, Hashable {
    /// How the picture meets the wanted box.
    package enum Fit: Sendable, Hashable {
        /// Inside the box, uncut, never enlarged (`imageView/2`).
        case inside
        /// Exactly the box, the centre cut out, enlarged if need be (`imageView/1`).
        case cover
    }

    /// How the picture meets width and height.
    package let fit: Fit
    /// In pixels; without one, it follows from the other.
    package let width: Int?
    /// In pixels.
    package let height: Int?
    /// 1 to 100.
    package let quality: Int
    /// Nothing means the source's own.
    package let format: ImageFormat?

    /// Takes checked numbers; URLs go through the parsing initialiser.
    package init(fit: Fit, width: Int?, height: Int?, quality: Int = 85, format: ImageFormat? = nil) {
        self.fit = fit
        self.width = width
        self.height = height
        self.quality = quality
        self.format = format
    }
}

/// The formats that a derivative can have.
package enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg
    case png
    case webp
    case gif
    case avif

    /// Takes the word of a URL: `jpg` or a format's name, any case.
    package init?(word: some StringProtocol) {
        let name = word.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    /// What a derivative of this format is served as.
    package var mediaType: MediaType {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webp: .webp
        case .gif: .gif
        case .avif: .avif
        }
    }
}
