package import NIOCore

/// Reads and renders images; libvips implements it.
///
/// Blocking work happens on the renderer's own threads. For any input bytes, methods return or throw:
/// ``ServiceError/Code/notAnImage`` if the bytes are not an image of a supported format, or a damaged one.
package protocol ImageRenderer: Sendable {
    /// Reads the header of an image without decoding pixels.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - requester: The requester in whose share the read counts, if the number of parallel reads is limited.
    /// - Returns: The header, not checked against limits.
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
    ///   - images: The headers of all images that the job decodes.
    ///   - estimate: The estimated processor time of the job.
    ///   - requester: The requester in whose share the job counts.
    ///   - job: Renders the images; its argument is its highest priority. If it is cancelled although the caller's task
    ///     is not, it is called once more.
    /// - Returns: The result of the job.
    /// - Throws: The errors of the job; ``ServiceError/Code/overloaded`` if too many jobs wait for the same resources,
    ///   `CancellationError` if the task is cancelled while it waits.
    func reserving<Result: Sendable>(
        for images: [ImageHeader],
        _ estimate: Duration,
        _ requester: ImageRequester,
        _ job: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result

    /// Executes a plan.
    ///
    /// - Parameters:
    ///   - plan: A plan for the image's header.
    ///   - image: The image.
    ///   - marks: The images of the plan's watermarks, by their keys.
    ///   - priority: The processor priority of the job.
    ///   - deadline: The time at which the job stops with ``ServiceError/Code/imageTimedOut``; it also stops if the
    ///     task is cancelled.
    /// - Returns: The encoded image.
    /// - Throws: ``ServiceError/Code/notAnImage``, ``ServiceError/Code/imageTimedOut``, `CancellationError`.
    func render(
        _ plan: ImagePlan,
        of image: OpenImage,
        marks: [FileKey: OpenImage],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> RenderedImage

    /// The EXIF fields of an image by name; empty if it has none.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - requester: Who waits for it, where a worker process reads them.
    /// - Returns: The fields.
    /// - Throws: As ``header(of:for:)``.
    func exif(of source: ImageSource, for requester: ImageRequester) async throws -> [String: ExifField]

    /// The mean colour of an image's first frame on a white background.
    func average(
        of image: OpenImage,
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> Color

    /// Samples of an image's frames, for checks of its content: the first frame and further ones at equal distances.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - frames: The frames to sample, 0 for the first; ascending, within the header's number of frames. Of formats
    ///     that the worker process decodes, only the first.
    ///   - priority: The processor priority of the job.
    ///   - deadline: As for rendering.
    /// - Returns: One sample for each frame.
    /// - Throws: The errors of rendering.
    func samples(
        of image: OpenImage,
        frames: [Int],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> [ImageSample]
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
    /// The properties of the image.
    package var header: ImageHeader
    /// The source of its bytes.
    package var source: ImageSource

    /// Creates an open image.
    package init(header: ImageHeader, source: ImageSource) {
        self.header = header
        self.source = source
    }
}

/// The source from which a renderer reads an image.
package enum ImageSource: Sendable {
    /// An open blob, and the file that begins with its bytes.
    case file(any OpenBlob, LocalFile)
    case memory(ByteBuffer)
}

/// An encoded derivative in memory; the limit on its pixels bounds its size.
package struct RenderedImage: Sendable {
    /// The encoded image.
    package let bytes: ByteBuffer
    /// The format of the encoded image.
    package let format: ImageFormat

    /// Creates a rendered image.
    package init(bytes: ByteBuffer, format: ImageFormat) {
        self.bytes = bytes
        self.format = format
    }
}

/// An EXIF field: the number of its type (Exif 2.3, section 4.6.2) and its value as a string.
package struct ExifField: Sendable, Hashable {
    /// 2 for text, 3 for a short number, 5 for a fraction.
    package let type: Int
    /// The value in readable form: `Top-left`.
    package let value: String

    /// Creates a field.
    package init(type: Int, value: String) {
        self.type = type
        self.value = value
    }
}
