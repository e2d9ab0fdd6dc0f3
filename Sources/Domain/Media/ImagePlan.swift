/// The steps of a renderer, in pixels: an ``ImageRequest`` applied to a source whose header is known.
///
/// The plan contains all decisions, so that they can be tested without an image; a renderer only executes it. So the
/// size of the result and the cost estimate of the job are known before a pixel is decoded.
package struct ImagePlan: Sendable, Hashable {
    /// One step, applied to the result of the previous one.
    package enum Step: Sendable, Hashable {
        /// Applies an EXIF orientation, 2 to 8.
        case orient(Int)
        /// Resamples to exactly this size.
        case scale(ImageSize)
        /// Crops to a rectangle.
        case crop(ImageRectangle)
        /// Rotates clockwise on a background colour, to an image of this size.
        case rotate(degrees: Int, background: Color, size: ImageSize)
        /// Blurs with a Gaussian of this sigma, cut off at the radius.
        case blur(radius: Int, sigma: Double)
        /// Sharpens the image.
        case sharpen
        /// Composites watermarks on the image.
        case watermark(Watermark)
        /// Composites the image on a colour, so that it has no transparency.
        case flatten(Color)
    }

    /// The encoding of the result.
    package struct Output: Sendable, Hashable {
        /// The format of the result.
        package var format: ImageFormat
        /// 1 to 100.
        package var quality: Int
        /// Whether a JPEG is progressive.
        package var isProgressive = false
        /// The maximum number of colours of a GIF or a PNG with a palette; `nil` for no limit.
        package var colors: Int?
        /// The compression level of a PNG, 0 to 9; `nil` for the encoder's default.
        package var compression: Int?
        /// The limit on the size in bytes.
        package var sizeLimit: ImageMogr2.SizeLimit?
        /// The EXIF orientation that the result retains, because no step applied it.
        package var orientation: Int?
        /// Whether the source is returned if the result is not smaller.
        package var mustShrink = false
        /// Whether speed or fidelity has priority.
        package var effort = ImageEffort.fast
        /// Whether the EXIF copyright fields are retained.
        package var keepsCopyright = false
    }

    /// The steps in order.
    package var steps: [Step]
    /// The encoding of the result.
    package var output: Output
    /// The number of rendered frames; 1 for an image that is not animated.
    package var frames: Int
    /// The size of one frame of the result.
    package var size: ImageSize
    /// The largest size of one frame during any step.
    package var largestSize: ImageSize
    /// Whether the source is returned unchanged.
    package var changesNothing = false
}

/// The priority of speed or fidelity in resampling and compression (`images.quality`).
package enum ImageEffort: String, Sendable, Hashable, CaseIterable {
    /// As libvips' own thumbnails: decoders shrink, and resampling uses gamma-encoded values.
    case fast
    /// Resampling in linear light, from all pixels.
    case best
}
