internal import NIOCore

extension ImageService {
    /// Larger ones are answered from the disk.
    private static let largeSize = 1 << 20

    /// Makes what a request asks for.
    ///
    /// - Throws: What ``result(_:of:automatic:from:)`` throws; ``IgnoredFailure`` if the source is the answer.
    func render(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat],
        from address: String?,
        under name: DerivativeName
    ) async throws -> RenderingResult {
        let operators = request.withoutInformation.operators
        let ignoresSource = operators.first?.ignoresErrors ?? false
        // What fails while pixels are made may be the doing of any operator, and of every mark.
        let ignoresAll = operators.allSatisfy(\.ignoresErrors)
        let requester = requester(of: origin, from: address)
        return try await admission.admit(for: requester) { permit in
            // Another task may have stored it and ended since the caller looked. This check is not done earlier,
            // because refusals must cost little.
            if let cached = try? await derivatives.open(name) { return .finished(cached) }
            let image = try await ServiceError.ofTheSource(ignored: ignoresSource) {
                try await open(origin, for: requester)
            }
            var plan = try ImagePlan(request, of: image.header, automatic: automatic, limits: settings.limits)
            if plan.changesNothing { return .source }
            plan.output.effort = settings.effort
            plan.output.keepsCopyright = settings.keepsCopyright
            var job = Job(plan: plan, image: image, marks: try await openMarks(of: plan, for: requester))
            return try await ServiceError.ofTheSource(ignored: ignoresAll) {
                if let smaller = try await jobOnPreScaledCopy(for: job, of: origin, permit) { job = smaller }
                return try await render(job, permit) { [plan] in
                    try await settled($0, plan, of: origin, under: name)
                }
            }
        }
    }

    /// What becomes of an image: nothing if the source serves as well; a large one, or one too many, is read from the
    /// disk, because slow clients must not hold all of them in memory.
    private func settled(
        _ image: RenderedImage,
        _ plan: ImagePlan,
        of origin: ImageOrigin,
        under name: DerivativeName
    ) async throws -> RenderingResult {
        let size = image.bytes.readableBytes
        let isTooLarge = plan.output.sizeLimit.map { $0.isStrict && size > $0.bytes } ?? false
        let isPointless = plan.output.mustShrink && size >= origin.size
        guard !isTooLarge, !isPointless else { return .source }
        let type = image.format.mediaType
        if size <= ImageService.largeSize, let fresh = StoredDerivative(image.bytes, as: type, in: served) {
            return .rendered(image, fresh)
        }
        await store(image, of: origin, under: name)
        if let cached = try? await derivatives.open(name) { return .finished(cached) }
        guard let fresh = StoredDerivative(image.bytes, as: type, in: served) else {
            throw ServiceError(.overloaded, "Too many images are being sent; try again in a second.")
        }
        return .finished(fresh)
    }

    /// Stores a derivative, unless its source is deleted or too many wait to be stored.
    func store(_ image: RenderedImage, of origin: ImageOrigin, under name: DerivativeName) async {
        // A derivative that cannot be stored is no failure: it is rendered again. In a separate task, because a
        // cancelled one may store an image and then not find out that its source is gone.
        try? await Task {
            try await storing.run {
                try await derivatives.store(image.bytes, as: image.format.mediaType, under: name)
                // A delete may have been between the source and its derivative.
                if await !origin.isThere() { try await derivatives.remove(allOf: origin.source) }
            }
        }.value
    }
}

/// A failure that a request says to ignore: the source is the answer.
struct IgnoredFailure: Error {}

extension ServiceError {
    /// What the body returns.
    ///
    /// - Throws: What the body throws; ``IgnoredFailure`` if it fails because of the image and not of the server's
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
