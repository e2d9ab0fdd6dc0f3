internal import NIOCore

/// Makes derivatives of one app's images, each once, never more at a time than the machine can bear.
package struct ImageService: Sendable {
    /// How images are made.
    package let settings: ImageSettings
    /// What this app's URLs may say.
    package let names: ImageNames
    /// What its URLs said lately.
    package let requests = ImageRequests()
    /// The app that its jobs count for; nil for none.
    let app: AppID?
    let files: FileService
    let renderer: any ImageRenderer
    let admission: ImageAdmission
    let derivatives: any DerivativeStore
    /// Takes copies of sources that are on other machines.
    let scratch: any StagingArea
    /// Of the settings.
    let signature: String
    private let inFlight = SingleFlight<DerivativeName, RenderingResult>()
    /// Of the copies that small derivatives are made of.
    let copies = SingleFlight<DerivativeName, PreScaledCopy>()
    let headers = BoundedCache<DerivativeName, ImageHeader>(bound: 4096)
    /// Requests whose answer is the source itself, which otherwise only a new rendering would show.
    private let fruitless = BoundedCache<DerivativeName, Bool>(bound: 4096)
    /// Images that are answered while they are on their way to the disk.
    let served: ServedMemory
    /// Derivatives that are being stored in the cache; further ones are not stored, because they would fill the memory.
    let storing = Admission(limit: 64, refusal: "Too many derivatives wait to be stored.")

    /// - Parameters:
    ///   - settings: How images are made.
    ///   - names: What this app's URLs may say.
    ///   - app: The app, if its jobs count for a share of their own.
    ///   - files: The app's files.
    ///   - renderer: What makes the images.
    ///   - admission: Shared by all apps of a server.
    ///   - served: Holds images that are answered from memory; shared by all apps of a server.
    ///   - derivatives: The app's cache.
    ///   - scratch: Takes copies of sources that are on other machines, while jobs need them; itself on this one.
    package init(
        settings: ImageSettings,
        names: ImageNames = ImageNames(),
        app: AppID? = nil,
        files: FileService,
        renderer: any ImageRenderer,
        admission: ImageAdmission,
        served: ServedMemory,
        derivatives: any DerivativeStore,
        scratch: any StagingArea
    ) {
        self.settings = settings
        signature = settings.signature
        self.names = names
        self.app = app
        self.files = files
        self.renderer = renderer
        self.admission = admission
        self.served = served
        self.derivatives = derivatives
        self.scratch = scratch
    }

    /// The cached derivative of a request and a source, if there is one: fast, and without cancellable work.
    ///
    /// - Parameters: As ``result(_:of:automatic:from:)``.
    /// - Throws: ``ServiceError/Code/badImageRequest`` if a watermark's image is not there.
    package func cached(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat] = []
    ) async throws -> StoredDerivative? {
        let name = try await name(of: request, origin, automatic)
        // A cache that fails is as good as an empty one.
        return try? await derivatives.open(name)
    }

    /// The image that a request makes of a source, rendered now; see ``cached(_:of:automatic:)`` first.
    ///
    /// - Parameters:
    ///   - request: Its operators for information are ignored.
    ///   - origin: The source.
    ///   - automatic: Formats that the client takes, of which one is chosen if the request says none.
    ///   - address: The client's network address, as ``ImageRequester/address`` has it.
    /// - Returns: The image, or the source itself where that is the answer.
    /// - Throws: ``ServiceError/Code/imageTooLarge``, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/badImageRequest``, ``ServiceError/Code/imageTimedOut``, ``ServiceError/Code/overloaded``
    ///   when too many jobs run and wait already, `CancellationError` when the task is cancelled.
    package func result(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat] = [],
        from address: String? = nil
    ) async throws -> ImageResult {
        let name = try await name(of: request, origin, automatic)
        let rendering: RenderingResult
        do {
            rendering = try await inFlight.value(for: name) {
                if await fruitless.value(for: name, loading: { nil }) != nil { return .source }
                return try await render(request, of: origin, automatic: automatic, from: address, under: name)
            } afterwards: { rendering in
                switch rendering {
                case .source: _ = await fruitless.value(for: name) { true }
                case .rendered(let image, _): await store(image, of: origin, under: name)
                case .finished: break
                }
            }
        } catch is IgnoredFailure {
            // Not remembered: a worker that was killed may do better next time.
            return .source
        }
        return switch rendering {
        case .source: .source
        case .rendered(_, let derivative), .finished(let derivative): .derivative(derivative)
        }
    }

    /// The name of an image in the cache: it contains everything on which the image depends.
    private func name(
        of request: ImageRequest,
        _ origin: ImageOrigin,
        _ automatic: [ImageFormat]
    ) async throws -> DerivativeName {
        var canonical = request.withoutInformation.canonical
        for key in request.markKeys { canonical += "|mark/\(try await mark(key).digest)" }
        if !automatic.isEmpty { canonical += "|auto/\(automatic.map(\.rawValue).joined(separator: ","))" }
        return origin.name(of: "\(canonical)|\(signature)")
    }

    /// The requester in whose shares a job of a source counts.
    func requester(of origin: ImageOrigin, from address: String?) -> ImageRequester {
        ImageRequester(app: app, address: address, file: origin.source)
    }

    /// The result of a rendering.
    enum RenderingResult: Sendable {
        case source
        /// An image that is not stored yet, and the same image as it is served from memory.
        case rendered(RenderedImage, StoredDerivative)
        /// An image that is stored, or could not be stored.
        case finished(StoredDerivative)
    }
}

/// The answer to a request for an image.
package enum ImageResult: Sendable {
    /// An image that was made.
    case derivative(StoredDerivative)
    /// The source as it is: nothing could be gained, or the request says so of failures.
    case source
}
