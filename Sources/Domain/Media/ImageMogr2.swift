/// `imageMogr2`: steps in the order they are written, then an encoding (protocol/files 5.4).
package struct ImageMogr2: Sendable, Hashable {
    /// One change of the image.
    package enum Step: Sendable, Hashable {
        /// Turns the image as its EXIF orientation says.
        case autoOrient
        /// Changes its size.
        case thumbnail(ThumbnailGeometry)
        /// Cuts a rectangle out.
        case crop(Crop)
        /// Turns it clockwise by whole degrees, 1 to 359.
        case rotate(Int)
        /// Blurs it: radius 1 to 50 pixels, sigma above 0 to 50.
        case blur(radius: Int, sigma: Double)
        /// Sharpens it.
        case sharpen
    }

    /// In the order written.
    package var steps: [Step] = []
    /// How the result is encoded.
    package var encoding = EncodingParameters()
    /// Whether the result also loses an orientation that was not applied.
    package var strips = false
    /// What shows through transparency and in corners that a rotation leaves free.
    package var background: Color?
    /// The most bytes of a result.
    package var sizeLimit: SizeLimit?
    /// Whether a failure leaves the image as it was.
    package var ignoresErrors = false

    /// No parameter at all.
    package init() {}

    /// `size-limit`: a JPEG's quality is lowered until it fits.
    package struct SizeLimit: Sendable, Hashable {
        /// In bytes, at least 1.
        package let bytes: Int
        /// `!`: holds for every format, and the source is returned if the result does not fit.
        package let isStrict: Bool

        /// Takes checked numbers.
        package init(bytes: Int, isStrict: Bool) {
            self.bytes = bytes
            self.isStrict = isStrict
        }
    }

    var canonical: String {
        var text = "imageMogr2"
        for step in steps { text += step.canonical }
        text += encoding.canonical
        if strips { text += "/strip" }
        if let background { text += "/background/\("#\(background)".utf8.base64URL)" }
        if let sizeLimit { text += "/size-limit/\(sizeLimit.bytes)\(sizeLimit.isStrict ? "!" : "")" }
        if ignoresErrors { text += "/ignore-error/1" }
        return text
    }
}

extension ImageMogr2.Step {
    fileprivate var canonical: String {
        switch self {
        case .autoOrient: "/auto-orient"
        case .thumbnail(let scaling): "/thumbnail/\(scaling)"
        case .crop(let cut): "/gravity/\(cut.gravity.rawValue)/crop/\(cut)"
        case .rotate(let degrees): "/rotate/\(degrees)"
        case .blur(let radius, let sigma): "/blur/\(radius)x\(sigma)"
        case .sharpen: "/sharpen/1"
        }
    }
}
