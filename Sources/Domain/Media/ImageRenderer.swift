package import NIOCore

/// Makes derivatives of images; libvips implements it.
package protocol ImageRenderer: Sendable {
    /// Reads the source, makes what is asked for, and encodes it.
    ///
    /// Blocking work happens on the renderer's own threads. Throws ``ServiceError/Code/notAnImage`` when the bytes are
    /// no image of a served format or are broken, ``ServiceError/Code/imageTooLarge`` beyond the limits.
    func render(
        _ request: ImageRequest,
        from source: ImageSource,
        within limits: ImageLimits
    ) async throws -> RenderedImage
}

/// Where a renderer reads an image from.
package enum ImageSource: Sendable {
    /// An open blob in a file; the renderer reads through its descriptor while it holds the blob.
    case file(any OpenBlob, CInt)
    case memory(ByteBuffer)
}

/// An encoded derivative; small, since its pixels are limited.
package struct RenderedImage: Sendable {
    /// The whole encoded picture.
    package let bytes: ByteBuffer
    /// What it is encoded as.
    package let format: ImageFormat

    /// Takes what a renderer made.
    package init(bytes: ByteBuffer, format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }
}
