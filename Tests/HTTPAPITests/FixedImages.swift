import Domain
import NIOCore
import Support

/// Takes every file for a photograph and makes the same bytes of each, or throws the same error.
struct FixedRenderer: ImageRenderer {
    var failure: ServiceError?
    /// What every file says of itself.
    var header = ImageHeader(format: .jpeg, size: ImageSize(width: 640, height: 480), quality: 75)
    /// What EXIF says of every file.
    var fields: [String: ExifField] = [:]
    /// Counts what was made.
    let made = Counter()

    func header(of source: ImageSource, for requester: ImageRequester) async throws -> ImageHeader {
        if let failure { throw failure }
        return header
    }

    func header(ofHead head: ByteBuffer, of size: Int64, for requester: ImageRequester) async throws -> HeadReading {
        .whole(try await header(of: .memory(head), for: requester))
    }

    func reserving<Result: Sendable>(
        for images: [ImageHeader],
        _ estimate: Duration,
        _ requester: ImageRequester,
        _ job: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        try await job(.normal)
    }

    func render(
        _ plan: ImagePlan,
        of image: OpenImage,
        marks: [FileKey: OpenImage],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> RenderedImage {
        if let failure { throw failure }
        _ = made.next()
        return RenderedImage(bytes: ByteBuffer(string: "thumbnail"), format: plan.output.format)
    }

    func exif(of source: ImageSource, for requester: ImageRequester) async throws -> [String: ExifField] {
        if let failure { throw failure }
        return fields
    }

    func average(
        of image: OpenImage,
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> Color {
        if let failure { throw failure }
        return Color(red: 0x85, green: 0x69, blue: 0x4d)
    }

    func samples(
        of image: OpenImage,
        frames: [Int],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> [ImageSample] {
        frames.map { _ in
            ImageSample(
                pixels: ByteBuffer(repeating: 0x80, count: ImageSample.pixelCount),
                hash: PerceptualHash(words: .zero, quality: 0)
            )
        }
    }
}

/// Gives the same file for every address, or throws the same error.
struct FixedFetcher: Fetcher {
    var failure: ServiceError?
    var text = "elsewhere"
    var mediaType: MediaType? = .jpeg
    /// Counts what was fetched.
    let fetched = Counter()

    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        if let failure { throw failure }
        _ = fetched.next()
        try await take(ByteBuffer(string: text))
        return FetchedHead(mediaType: mediaType)
    }
}
