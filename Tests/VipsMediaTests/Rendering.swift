import Domain
import NIOCore
import NIOPosix
import Support

@testable import VipsMedia

/// A renderer, and chains as URLs write them.
struct Rendering {
    let renderer: VipsRenderer

    init(worker: WorkerLauncher? = nil) throws {
        renderer = try VipsRenderer(pool: .singleton, quickPool: .singleton, worker: worker)
    }

    init(_ renderer: VipsRenderer) {
        self.renderer = renderer
    }

    /// Reads a chain; every text is a key of the app.
    static func request(_ chain: String, limits: ImageLimits = ImageLimits()) throws -> ImageRequest {
        let context = ImageParsingContext(limits: limits, ownKey: { FileKey($0) }, fileSize: 1000)
        return try ImageRequest(chain: chain, context: context)
    }

    /// Reads a header.
    func open(_ bytes: ByteBuffer) async throws -> OpenImage {
        OpenImage(header: try await renderer.header(of: .memory(bytes), for: ImageRequester()), source: .memory(bytes))
    }

    /// Makes an image, perhaps by a plan that was changed; watermarks find their images by their keys.
    func render(
        _ chain: String,
        _ bytes: ByteBuffer,
        marks: [String: ByteBuffer] = [:],
        limits: ImageLimits = ImageLimits(),
        with priority: ImagePriority = .normal,
        until deadline: ContinuousClock.Instant = .now + .seconds(600),
        _ change: (inout ImagePlan) -> Void = { _ in }
    ) async throws -> RenderedImage {
        let image = try await open(bytes)
        var plan = try ImagePlan(Rendering.request(chain, limits: limits), of: image.header, limits: limits)
        change(&plan)
        var opened: [FileKey: OpenImage] = [:]
        for (name, bytes) in marks {
            guard let key = FileKey(name) else { throw Broken() }
            opened[key] = try await open(bytes)
        }
        return try await renderer.render(plan, of: image, marks: opened, with: priority, until: deadline)
    }

    /// Makes an image and decodes it.
    func pixels(_ chain: String, _ bytes: ByteBuffer, marks: [String: ByteBuffer] = [:]) async throws -> Pixels {
        try Pixels(try await render(chain, bytes, marks: marks).bytes)
    }
}
