import Glibc
import NIOCore
import Synchronization
import Testing

@testable import Domain

/// A renderer whose images are texts: what it says of each and what it makes is told by a test.
final class StubRenderer: ImageRenderer {
    /// A job that was carried out.
    struct Job: Sendable {
        let plan: ImagePlan
        /// The text of the source.
        let source: String
        let header: ImageHeader
        /// The texts of the marks, by their keys.
        let marks: [String: String]
        let priority: ImagePriority
    }

    private struct State {
        var headers: [String: ImageHeader] = [:]
        var partialSize: ImageSize??
        var exif: [String: ExifField] = [:]
        var result = "made"
        var failure: (any Error)?
        var headerFailure: (any Error)?
        var hold: (begun: Gate, mayEnd: Gate)?
        var jobs: [Job] = []
        var looks = 0
        var requesters: [ImageRequester] = []
    }

    private let state = Mutex(State())

    /// What was rendered, in this order.
    var jobs: [Job] { state.withLock(\.jobs) }

    /// The requesters of header reads and of jobs, in the order in which they started.
    var requesters: [ImageRequester] { state.withLock(\.requesters) }

    /// How often a header was read.
    var looks: Int { state.withLock(\.looks) }

    /// Says what a text is; without it, the text is no image.
    func know(_ text: String, as header: ImageHeader) {
        state.withLock { $0.headers[text] = header }
    }

    /// Says that the first bytes of an image tell only a size, or not even that.
    func tellPartially(_ size: ImageSize?) {
        state.withLock { $0.partialSize = .some(size) }
    }

    /// Says what every image has in its EXIF.
    func know(exif: [String: ExifField]) {
        state.withLock { $0.exif = exif }
    }

    /// Says what jobs make from now on.
    func make(_ result: String) {
        state.withLock { $0.result = result }
    }

    /// Says what jobs that begin from now on throw; `nil` if they throw no error.
    func fail(with failure: (any Error)?) {
        state.withLock { $0.failure = failure }
    }

    /// Says what header reads throw from now on.
    func failHeaders(with failure: any Error) {
        state.withLock { $0.headerFailure = failure }
    }

    /// Holds jobs from now on: each says that it has begun, and ends when it may.
    func hold() -> (begun: Gate, mayEnd: Gate) {
        let hold = (begun: Gate(), mayEnd: Gate())
        state.withLock { $0.hold = hold }
        return hold
    }

    func header(of source: ImageSource, for requester: ImageRequester) async throws -> ImageHeader {
        let text = try source.text
        let (header, failure) = state.withLock { state in
            state.looks += 1
            state.requesters.append(requester)
            return (state.headers[text], state.headerFailure)
        }
        if let failure { throw failure }
        guard let header else { throw ServiceError(.notAnImage, "'\(text)' is no image.") }
        return header
    }

    func header(ofHead head: ByteBuffer, of size: Int64, for requester: ImageRequester) async throws -> HeadReading {
        let text = String(buffer: head)
        let (known, partialSize) = state.withLock { state in
            (state.headers.first { $0.key.utf8.count == size && $0.key.hasPrefix(text) }?.value, state.partialSize)
        }
        guard let known else { throw ServiceError(.notAnImage, "This is no image.") }
        return if let partialSize { .partial(partialSize) } else { .whole(known) }
    }

    func reserving<Result: Sendable>(
        for images: [ImageHeader],
        _ estimate: Duration,
        _ requester: ImageRequester,
        _ job: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        state.withLock { $0.requesters.append(requester) }
        return try await job(.normal)
    }

    func render(
        _ plan: ImagePlan,
        of image: OpenImage,
        marks: [FileKey: OpenImage],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> RenderedImage {
        var texts: [String: String] = [:]
        for (key, mark) in marks { texts[key.description] = try mark.source.text }
        let job = Job(
            plan: plan,
            source: try image.source.text,
            header: image.header,
            marks: texts,
            priority: priority
        )
        let (result, failure, hold) = state.withLock { state in
            state.jobs.append(job)
            return (state.result, state.failure, state.hold)
        }
        hold?.begun.open()
        await hold?.mayEnd.wait()
        try Task.checkCancellation()
        if let failure { throw failure }
        return RenderedImage(bytes: ByteBuffer(string: result), format: plan.output.format)
    }

    func exif(of source: ImageSource, for requester: ImageRequester) async throws -> [String: ExifField] {
        _ = try await header(of: source, for: ImageRequester())
        return state.withLock(\.exif)
    }

    func average(
        of image: OpenImage,
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> Color {
        Color(red: 0x85, green: 0x69, blue: 0x4d)
    }

    func samples(
        of image: OpenImage,
        frames: [Int],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> [ImageSample] {
        if let failure = state.withLock(\.failure) { throw failure }
        return frames.map { _ in
            ImageSample(
                pixels: ByteBuffer(repeating: 0x80, count: ImageSample.pixelCount),
                hash: PerceptualHash(words: .zero, quality: 0)
            )
        }
    }
}

extension ImageSource {
    fileprivate var text: String {
        get throws {
            switch self {
            case .memory(let bytes): return String(buffer: bytes)
            case .file(let blob, let file):
                var bytes = [UInt8](repeating: 0, count: Int(blob.size))
                let count = file.withDescriptor { descriptor in
                    bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
                }
                return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            }
        }
    }
}
