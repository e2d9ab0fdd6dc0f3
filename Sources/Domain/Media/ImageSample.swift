package import NIOCore

/// One frame of an image, in the two forms in which checkers compare images.
package struct ImageSample: Sendable {
    /// The width and height of ``pixels``.
    package static let side = 224
    /// The number of bytes of ``pixels``.
    package static let pixelCount = 3 * side * side

    /// What the classifier's model was trained with, as rows from the top of red, green and blue.
    ///
    /// The upright frame on a white background is distorted to 256 x 256 pixels, cropped to the ``side`` pixels in the
    /// middle, and compressed as a JPEG of quality 75. The model's scores depend on the traces of that compression.
    package let pixels: ByteBuffer
    /// The perceptual hash of the upright frame.
    package let hash: PerceptualHash

    /// Creates a sample.
    package init(pixels: ByteBuffer, hash: PerceptualHash) {
        self.pixels = pixels
        self.hash = hash
    }
}

/// Frames of one image.
package struct ImageSamples: Sendable {
    /// At least one frame.
    package let frames: [ImageSample]
    /// Whether the image has frames that this server cannot read: see ``ImageHeader/hasUnreadFrames``.
    package let hasUnreadFrames: Bool
}
