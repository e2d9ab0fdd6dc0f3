/// What a renderer does, in pixels: an ``ImageRequest`` once the source's header is known.
///
/// Everything is decided here, where it can be tested without an image; a renderer only executes. So the size of the
/// result and the cost estimate of the job are known before a pixel is decoded.
package struct ImagePlan: Sendable, Hashable {
    /// One step, each on what the one before left.
    package enum Step: Sendable, Hashable {
        /// Undoes an EXIF orientation, 2 to 8.
        case orient(Int)
        /// Resamples to exactly this size.
        case scale(ImageSize)
        /// Cuts out.
        case crop(ImageRectangle)
        /// Turns clockwise, on a colour, to an image of this size.
        case rotate(degrees: Int, background: Color, size: ImageSize)
        /// Blurs with a Gaussian of this sigma, cut off at the radius.
        case blur(radius: Int, sigma: Double)
        /// Sharpens.
        case sharpen
        /// Lays marks over it.
        case watermark(Watermark)
        /// Lays it on a colour, so that nothing is transparent.
        case flatten(Color)
    }

    /// How the result is written.
    package struct Output: Sendable, Hashable {
        /// What it is encoded as.
        package var format: ImageFormat
        /// 1 to 100.
        package var quality: Int
        /// Whether a JPEG comes in passes.
        package var isProgressive = false
        /// The most colours of a GIF or a PNG with a palette; `nil` for all that there are.
        package var colors: Int?
        /// How hard a PNG is packed, 0 to 9; `nil` for the encoder's own.
        package var compression: Int?
        /// The most bytes.
        package var sizeLimit: ImageMogr2.SizeLimit?
        /// The EXIF orientation that the result retains, because no step applied it.
        package var orientation: Int?
        /// Whether the source itself is the answer if the result is not smaller.
        package var mustShrink = false
        /// Whether time or likeness counts more.
        package var effort = ImageEffort.fast
        /// Whether EXIF's copyright fields are retained.
        package var keepsCopyright = false
    }

    /// In their order.
    package var steps: [Step]
    /// How the result is written.
    package var output: Output
    /// How many frames are rendered; 1 for an image that is not animated.
    package var frames: Int
    /// The result's size, of one frame.
    package var size: ImageSize
    /// The most pixels that any step works on, of one frame.
    package var largestSize: ImageSize
    /// Whether the source itself is the answer, whatever it holds.
    package var changesNothing = false
}

/// What counts more when images are resampled and packed (`images.quality`).
package enum ImageEffort: String, Sendable, Hashable, CaseIterable {
    /// As libvips' own thumbnails: decoders shrink, resampling takes values as they are stored.
    case fast
    /// Resampling in linear light, from all pixels.
    case best
}
