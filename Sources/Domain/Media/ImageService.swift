internal import NIOCore

/// Renders derivatives of one app's images, each once, and never more at a time than the limits allow.
package struct ImageService: Sendable {
    /// The settings for rendering.
    package let settings: ImageSettings
    /// The styles and automatic formats of this app's URLs.
    package let names: ImageNames
    /// The parsed query strings of recent URLs.
    package let requests = ImageRequests()
    /// The app in whose share its jobs count; `nil` for none.
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
    /// The pre-scaled copies that are being rendered.
    let copies = SingleFlight<DerivativeName, PreScaledCopy>()
    /// The headers of recent sources.
    package let headers = BoundedCache<DerivativeName, ImageHeader>(bound: 4096)
    /// When the headers can be read again that took too long.
    let slowHeaders = BoundedCache<DerivativeName, ContinuousClock.Instant>(bound: 1024)
    /// The requests for which a derivative was stored, and those for which none was.
    package let derivativeCounts = CacheCounts()
    /// Requests whose response is the source, which otherwise only another rendering would show.
    private let fruitless = BoundedCache<DerivativeName, Bool>(bound: 4096)
    /// Memory for images that are served before they are stored.
    let served: ServedMemory
    /// Limits the derivatives that wait to be stored in the cache; further ones are not stored, because they would fill
    /// the memory.
    let storing = Admission(limit: 64, refusal: "Too many derivatives wait to be stored.")

    /// - Parameters:
    ///   - settings: The settings for rendering.
    ///   - names: The styles and automatic formats of this app's URLs.
    ///   - app: The app, if its jobs count in a separate share.
    ///   - files: The app's files.
    ///   - renderer: Renders the images.
    ///   - admission: Shared by all apps of a server.
    ///   - served: Memory for images that are served from memory; shared by all apps of a server.
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

    /// The derivative of a request and a source in the cache of this machine, or `nil`: fast, and without cancellable work.
    ///
    /// ``result(_:of:automatic:from:)`` asks servers' shared derivatives, which is limited like rendering.
    ///
    /// - Parameters: As ``result(_:of:automatic:from:)``.
    /// - Throws: ``ServiceError/Code/badImageRequest`` if a watermark's image does not exist.
    package func cached(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat] = []
    ) async throws -> StoredDerivative? {
        let name = try await name(of: request, origin, automatic)
        // An error of the cache is treated as a miss.
        let derivative = try? await derivatives.openLocal(name)
        derivativeCounts.count(isHit: derivative != nil)
        return derivative
    }

    /// Renders the image of a request; callers check ``cached(_:of:automatic:)`` first.
    ///
    /// - Parameters:
    ///   - request: The request; its information operators are ignored.
    ///   - origin: The source.
    ///   - automatic: Formats that the client accepts; used if the request names no format.
    ///   - address: The client's network address, as in ``ImageRequester/address``.
    /// - Returns: The image, or the source if that is the response.
    /// - Throws: ``ServiceError/Code/imageTooLarge``, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/badImageRequest``, ``ServiceError/Code/imageTimedOut``, ``ServiceError/Code/overloaded``
    ///   if too many jobs run and wait already, `CancellationError` if the task is cancelled.
    package func result(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat] = [],
        from address: String? = nil
    ) async throws -> ImageResult {
        let name = try await name(of: request, origin, automatic)
        let rendering: RenderingResult
        do {
            // Each address has its own allowance and its own share of the queue.
            rendering = try await inFlight.value(for: name, isPersonal: isRefusal) {
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
            // Not cached: a retry can succeed, for example if the worker process was killed.
            return .sourceAfterFailure
        }
        return switch rendering {
        case .source: .source
        case .rendered(_, let derivative), .finished(let derivative): .derivative(derivative)
        }
    }

    /// Whether an error refuses one requester, so that another one with the same request can still get its image.
    func isRefusal(_ error: any Error) -> Bool {
        (error as? ServiceError)?.code == .overloaded
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

    /// Removes what is cached of the bytes of sources, because bytes of a source were found damaged or whole again.
    package func forgetSources() {
        headers.removeAll()
        slowHeaders.removeAll()
        fruitless.removeAll()
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

/// The result of an image request.
package enum ImageResult: Sendable {
    /// A rendered image.
    case derivative(StoredDerivative)
    /// The unchanged source, for every equal request: rendering would not improve it.
    case source
    /// The unchanged source, because rendering failed and the request ignores failures: an equal request can succeed.
    case sourceAfterFailure
}
