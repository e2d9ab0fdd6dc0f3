package import NIOCore

/// One frame of an image, in the two forms in which checkers compare images.
package struct ImageSample: Sendable {
    /// The width and height of ``pixels``.
    package static let side = 256
    /// The number of bytes of ``pixels``.
    package static let pixelCount = 3 * side * side

    /// The frame, upright, on a white background, distorted to a square: rows from the top, red, green, blue.
    package let pixels: ByteBuffer
    /// The perceptual hash of the frame.
    package let hash: PerceptualHash

    /// Creates a sample.
    package init(pixels: ByteBuffer, hash: PerceptualHash) {
        self.pixels = pixels
        self.hash = hash
    }
}
