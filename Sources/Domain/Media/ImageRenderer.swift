package import NIOCore

/// Reads and makes images; libvips implements it.
///
/// Blocking work happens on the renderer's own threads. Whatever the bytes are, it returns or throws:
/// ``ServiceError/Code/notAnImage`` when the bytes are no image of a served format or a broken one.
package protocol ImageRenderer: Sendable {
    /// What the image says of itself; decodes no pixels.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - requester: The requester in whose share the read counts, if few headers can be read at the same time.
    /// - Returns: The header, unchecked against any limit.
    /// - Throws: ``ServiceError/Code/notAnImage``, and ``ServiceError/Code/overloaded`` if too many headers wait.
    func header(of source: ImageSource, for requester: ImageRequester) async throws -> ImageHeader

    /// What the first bytes of an image tell of its header; decodes no pixels.
    ///
    /// - Parameters:
    ///   - head: The first bytes.
    ///   - size: How many bytes the image has in all.
    ///   - requester: As in ``header(of:for:)``.
    /// - Returns: The header, if the bytes behind the head would add nothing to it.
    /// - Throws: ``ServiceError/Code/notAnImage`` if that can be told already, and ``ServiceError/Code/overloaded``.
    func header(ofHead head: ByteBuffer, of size: Int64, for requester: ImageRequester) async throws -> HeadReading

    /// Runs a job on images once there is whatever the renderer takes for them beside a thread and memory.
    ///
    /// - Parameters:
    ///   - images: The headers of all that the job decodes.
    ///   - estimate: The processor time that the job is estimated to take.
    ///   - requester: The requester in whose share the job counts.
    ///   - job: Renders them, with at most the priority that it gets. If it is cancelled although the caller's task is
    ///     not, it is called once more.
    /// - Returns: What the job returns.
    /// - Throws: What the job throws; ``ServiceError/Code/overloaded`` if too many wait for the same,
    ///   `CancellationError` if the task is cancelled while it waits.
    func reserving<Result: Sendable>(
        for images: [ImageHeader],
        _ estimate: Duration,
        _ requester: ImageRequester,
        _ job: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result

    /// Carries a plan out.
    ///
    /// - Parameters:
    ///   - plan: Made from the image's header.
    ///   - image: The image.
    ///   - marks: The images that the plan's watermarks lay over it, by their keys.
    ///   - priority: How much of the processors the job gets.
    ///   - deadline: When the job stops with ``ServiceError/Code/imageTimedOut``; it also stops if the task is
    ///     cancelled.
    /// - Returns: The encoded image.
    /// - Throws: As above, and ``ServiceError/Code/imageTimedOut``, `CancellationError`.
    func render(
        _ plan: ImagePlan,
        of image: OpenImage,
        marks: [FileKey: OpenImage],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> RenderedImage

    /// The EXIF fields of an image, by their names; empty if it has none.
    func exif(of source: ImageSource) async throws -> [String: ExifField]

    /// The mean colour of an image's first frame, on white.
    func average(
        of image: OpenImage,
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> Color
}

/// What the first bytes of an image tell.
package enum HeadReading: Sendable, Hashable {
    /// All that the image says of itself.
    case whole(ImageHeader)
    /// Only the size of a frame, or not even that: the rest is told by later bytes.
    case partial(ImageSize?)
}

/// An image whose header was read.
package struct OpenImage: Sendable {
    /// What it says of itself.
    package var header: ImageHeader
    /// Where its bytes are.
    package var source: ImageSource

    /// Takes both.
    package init(header: ImageHeader, source: ImageSource) {
        self.header = header
        self.source = source
    }
}

/// Where a renderer reads an image from.
package enum ImageSource: Sendable {
    /// An open blob, and the file that begins with its bytes.
    case file(any OpenBlob, LocalFile)
    case memory(ByteBuffer)
}

/// An encoded derivative, in memory: its pixels are limited.
package struct RenderedImage: Sendable {
    /// The whole encoded image.
    package let bytes: ByteBuffer
    /// What it is encoded as.
    package let format: ImageFormat

    /// Takes what a renderer made.
    package init(bytes: ByteBuffer, format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }
}

/// A field of EXIF: its type's number (Exif 2.3, section 4.6.2) and its value as text.
package struct ExifField: Sendable, Hashable {
    /// 2 for text, 3 for a short number, 5 for a fraction.
    package let type: Int
    /// As a person reads it: `Top-left`.
    package let value: String

    /// Takes both.
    package init(type: Int, value: String) {
        self.type = type
        self.value = value
    }
}
