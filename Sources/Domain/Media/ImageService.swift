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
    /// Of the settings.
    let signature: String
    private let flights = SingleFlight<DerivativeName, Made>()
    /// Of the copies that small derivatives are made of.
    let copies = SingleFlight<DerivativeName, Mezzanine>()
    private let headers = BoundedCache<DerivativeName, ImageHeader>(bound: 4096)
    /// Requests whose answer is the source itself, which otherwise only all the work would show again.
    private let fruitless = BoundedCache<DerivativeName, Bool>(bound: 4096)
    /// Pictures that are answered while they are on their way to the disk.
    private let served: ServedMemory
    /// Larger ones are answered from the disk.
    private static let largeSize = 1 << 20
    /// Derivatives on their way to the cache; more are not kept, because they would fill the memory.
    private let keeping = Admission(limit: 64, refusal: "Too many derivatives wait to be kept.")

    /// - Parameters:
    ///   - settings: How images are made.
    ///   - names: What this app's URLs may say.
    ///   - app: The app, if its jobs count for a share of their own.
    ///   - files: The app's files.
    ///   - renderer: What makes the pictures.
    ///   - admission: Shared by all apps of a server.
    ///   - served: Holds pictures that are answered from memory; shared by all apps of a server.
    ///   - derivatives: The app's cache.
    package init(
        settings: ImageSettings,
        names: ImageNames = ImageNames(),
        app: AppID? = nil,
        files: FileService,
        renderer: any ImageRenderer,
        admission: ImageAdmission,
        served: ServedMemory,
        derivatives: any DerivativeStore
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
    }

    /// The picture that a request makes of a source, if it is kept: quick, and no work that anybody could give up.
    ///
    /// - Parameters: As ``picture(_:of:automatic:)``.
    /// - Throws: ``ServiceError/Code/badImageRequest`` if a watermark's picture is not there.
    package func kept(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat] = []
    ) async throws -> StoredDerivative? {
        let name = try await name(of: request, origin, automatic)
        // A cache that fails is as good as an empty one.
        return try? await derivatives.open(name)
    }

    /// The picture that a request makes of a source, made now; see ``kept(_:of:automatic:)`` first.
    ///
    /// - Parameters:
    ///   - request: Its questions are passed over.
    ///   - origin: The source.
    ///   - automatic: Formats that the client takes, of which one is chosen if the request says none.
    ///   - address: The client's network address, as ``ImageRequester/address`` has it.
    /// - Returns: The picture, or the source itself where that is the answer.
    /// - Throws: ``ServiceError/Code/imageTooLarge``, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/badImageRequest``, ``ServiceError/Code/imageTimedOut``, ``ServiceError/Code/overloaded`` when too
    ///   many jobs run and wait already, `CancellationError` when the task is cancelled.
    package func picture(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat] = [],
        from address: String? = nil
    ) async throws -> ImagePicture {
        let name = try await name(of: request, origin, automatic)
        let made: Made
        do {
            made = try await flights.value(for: name) {
                if await fruitless.value(for: name, loading: { nil }) != nil { return .source }
                return try await make(request, of: origin, automatic: automatic, from: address, under: name)
            } afterwards: { made in
                switch made {
                case .source: _ = await fruitless.value(for: name) { true }
                case .made(let image, _): await keep(image, of: origin, under: name)
                case .done: break
                }
            }
        } catch is IgnoredFailure {
            // Not remembered: a worker that was killed may do better next time.
            return .source
        }
        return switch made {
        case .source: .source
        case .made(_, let derivative), .done(let derivative): .derivative(derivative)
        }
    }

    /// What a picture is kept under: whatever it depends on is in it.
    private func name(
        of request: ImageRequest,
        _ origin: ImageOrigin,
        _ automatic: [ImageFormat]
    ) async throws -> DerivativeName {
        var words = request.pictures.canonical
        for key in request.markKeys { words += "|mark/\(try await mark(key).digest)" }
        if !automatic.isEmpty { words += "|auto/\(automatic.map(\.rawValue).joined(separator: ","))" }
        return origin.name(of: "\(words)|\(signature)")
    }

    /// A source and what it says of itself, held to the limits.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/fileNotFound``.
    func open(_ origin: ImageOrigin, for requester: ImageRequester) async throws -> OpenImage {
        let source = try await bytes(of: origin)
        let header = try await headers.value(for: origin.name(of: "header")) {
            try await renderer.header(of: source, for: requester)
        }
        // The renderer always finds one or throws.
        guard var header else { throw ServiceError(.notAnImage, "The file is not an image that can be read.") }
        header.fileSize = Int(origin.size)
        try settings.limits.checkSource(header.size)
        return OpenImage(header: header, source: source)
    }

    /// The bytes of a source, unless they are too many.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/fileNotFound``.
    func bytes(of origin: ImageOrigin) async throws -> ImageSource {
        let limit = settings.limits.sourceSize
        guard origin.size <= limit else {
            throw ServiceError(
                .imageTooLarge,
                "The file has \(origin.size) bytes; images over \(limit) are not processed (images.maxSourceSize)."
            )
        }
        return try await ImageSource(try await origin.open())
    }

    private func make(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat],
        from address: String?,
        under name: DerivativeName
    ) async throws -> Made {
        let operators = request.pictures.operators
        let ignoresSource = operators.first?.ignoresErrors ?? false
        // What fails while pixels are made may be the doing of any operator, and of every mark.
        let ignoresAll = operators.allSatisfy(\.ignoresErrors)
        let requester = requester(of: origin, from: address)
        return try await admission.admit(for: requester) { place in
            // Another flight may have kept it and ended since the caller looked. Not before: refusals must cost little.
            if let kept = try? await derivatives.open(name) { return .done(kept) }
            let image = try await ServiceError.ofTheSource(ignored: ignoresSource) {
                try await open(origin, for: requester)
            }
            var plan = try ImagePlan(request, of: image.header, automatic: automatic, limits: settings.limits)
            if plan.changesNothing { return .source }
            plan.output.effort = settings.effort
            plan.output.keepsCopyright = settings.keepsCopyright
            var job = Job(plan: plan, image: image, marks: try await openMarks(of: plan, for: requester))
            return try await ServiceError.ofTheSource(ignored: ignoresAll) {
                if let smaller = try await mezzanine(for: job, of: origin, place) { job = smaller }
                return try await render(job, place) {
                    try await settled($0, plan, of: origin, under: name)
                }
            }
        }
    }

    /// What becomes of a picture: nothing if the source serves as well; a large one, or one too many, is read from the
    /// disk, because those who read slowly must not hold them all in memory.
    private func settled(
        _ image: RenderedImage,
        _ plan: ImagePlan,
        of origin: ImageOrigin,
        under name: DerivativeName
    ) async throws -> Made {
        let size = image.bytes.readableBytes
        let isTooLarge = plan.output.sizeLimit.map { $0.isStrict && size > $0.bytes } ?? false
        let isPointless = plan.output.mustShrink && size >= origin.size
        guard !isTooLarge, !isPointless else { return .source }
        let type = image.format.mediaType
        if size <= ImageService.largeSize, let fresh = StoredDerivative(image.bytes, as: type, in: served) {
            return .made(image, fresh)
        }
        await keep(image, of: origin, under: name)
        if let kept = try? await derivatives.open(name) { return .done(kept) }
        guard let fresh = StoredDerivative(image.bytes, as: type, in: served) else {
            throw ServiceError(.overloaded, "Too many pictures are being sent; try again in a second.")
        }
        return .done(fresh)
    }

    /// Waits for a worker and memory, carries a plan out, and finishes what was made while it still counts as work.
    func render<Result>(
        _ job: Job,
        _ place: ImageAdmission.Place,
        _ finish: (RenderedImage) async throws -> Result
    ) async throws -> Result {
        let marks = job.marks.mapValues(\.header)
        let cost = try cost(of: job.plan, job.image.header, marks)
        return try await renderer.reserving(for: marks.values + [job.image.header], cost.time, place.requester) {
            try await place.run(cost) {
                let image = try await renderer.render(
                    job.plan,
                    of: job.image,
                    marks: job.marks,
                    until: .now + settings.limits.time(for: cost.time)
                )
                return try await finish(image)
            }
        }
    }

    /// What a plan is estimated to take, held to `images.maxWork`.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    func cost(
        of plan: ImagePlan,
        _ header: ImageHeader,
        _ marks: [FileKey: ImageHeader] = [:]
    ) throws -> ImageCost {
        let time = plan.work(of: header, marks: marks)
        try settings.limits.checkWork(time)
        return ImageCost(memory: plan.price(of: header, marks: marks), time: time)
    }

    /// Whose shares a job of a source counts for.
    func requester(of origin: ImageOrigin, from address: String?) -> ImageRequester {
        ImageRequester(app: app, address: address, file: origin.source)
    }

    /// Keeps a derivative, unless its source is gone or too many wait to be kept.
    func keep(_ image: RenderedImage, of origin: ImageOrigin, under name: DerivativeName) async {
        // A cache that cannot keep something is no failure: it is made again. On a task of its own, because a cancelled
        // one may store a picture and then not find out that its source is gone.
        try? await Task {
            try await keeping.run {
                try await derivatives.store(image.bytes, as: image.format.mediaType, under: name)
                // A delete may have been between the source and its derivative.
                if await !origin.isThere() { try await derivatives.remove(allOf: origin.source) }
            }
        }.value
    }

    /// What a request made.
    private enum Made: Sendable {
        case source
        /// A picture that is not kept yet, and the same as it is served from memory.
        case made(RenderedImage, StoredDerivative)
        /// A picture that is kept, or that could not be.
        case done(StoredDerivative)
    }

    /// A plan and what it needs.
    struct Job {
        var plan: ImagePlan
        var image: OpenImage
        var marks: [FileKey: OpenImage] = [:]
    }
}

/// What a request for a picture is answered with.
package enum ImagePicture: Sendable {
    /// A picture that was made.
    case derivative(StoredDerivative)
    /// The source as it is: nothing could be gained, or the request says so of failures.
    case source
}

/// A failure that a request says to ignore: the source is the answer.
private struct IgnoredFailure: Error {}

extension ServiceError {
    /// What the body returns.
    ///
    /// - Throws: What the body throws; ``IgnoredFailure`` if it fails because of the picture and not of the server's
    ///   state, and that is ignored.
    fileprivate static func ofTheSource<Result>(
        ignored: Bool,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as ServiceError where ignored && (error.code == .notAnImage || error.code == .imageTooLarge) {
            throw IgnoredFailure()
        }
    }
}
