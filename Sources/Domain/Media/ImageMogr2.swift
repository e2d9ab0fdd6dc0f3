/// `imageMogr2`: steps in the order of the URL, then an encoding (protocol/files 5.4).
package struct ImageMogr2: Sendable, Hashable {
    /// One operation on the image.
    package enum Step: Sendable, Hashable {
        /// Applies the EXIF orientation.
        case autoOrient
        /// Scales the image.
        case thumbnail(ThumbnailGeometry)
        /// Crops the image to a rectangle.
        case crop(Crop)
        /// Rotates clockwise by whole degrees, 1 to 359.
        case rotate(Int)
        /// Blurs with a radius of 1 to 50 pixels and a sigma above 0, at most 50.
        case blur(radius: Int, sigma: Double)
        /// Sharpens the image.
        case sharpen
    }

    /// In the order of the URL.
    package var steps: [Step] = []
    /// The encoding of the result.
    package var encoding = EncodingParameters()
    /// Whether the result loses an EXIF orientation that was not applied.
    package var strips = false
    /// The colour behind transparent parts and in the corners of a rotated image.
    package var background: Color?
    /// The limit on the size of the result in bytes.
    package var sizeLimit: SizeLimit?
    /// Whether the image stays unchanged after a failure (`ignore-error/1`).
    package var ignoresErrors = false

    /// Creates an operator without parameters.
    package init() {}

    /// `size-limit`: the quality of a JPEG is reduced until the result fits.
    package struct SizeLimit: Sendable, Hashable {
        /// In bytes, at least 1.
        package let bytes: Int
        /// `!`: applies to every format, and the source is returned if the result does not fit.
        package let isStrict: Bool

        /// Creates a limit from checked numbers.
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
