internal import NIOCore

extension ImageService {
    /// Derivatives larger than this number of bytes are served from the disk.
    private static let largeSize = 1 << 20

    /// Renders the derivative of a request.
    ///
    /// - Throws: The errors of ``result(_:of:automatic:from:)``; ``IgnoredFailure`` if the response is the source.
    func render(
        _ request: ImageRequest,
        of origin: ImageOrigin,
        automatic: [ImageFormat],
        from address: String?,
        under name: DerivativeName
    ) async throws -> RenderingResult {
        let operators = request.withoutInformation.operators
        let ignoresSource = operators.first?.ignoresErrors ?? false
        // A failure during rendering can come from any operator or watermark image.
        let ignoresAll = operators.allSatisfy(\.ignoresErrors)
        let requester = requester(of: origin, from: address)
        return try await admission.admit(for: requester) { permit in
            // Another task can have stored the derivative since the caller's check. This check is after the permit,
            // because refusals must be cheap.
            if let cached = try? await derivatives.open(name) { return .finished(cached) }
            let image = try await ServiceError.ofTheSource(ignored: ignoresSource) {
                try await open(origin, for: requester)
            }
            var plan = try self.plan(request, of: image.header, automatic)
            if plan.changesNothing { return .source }
            let marks = try await openMarks(of: plan, for: requester)
            var rest = automatic[...]
            // A format that the URL does not name must not make it fail.
            while !rest.isEmpty, !allows(plan, image.header, marks.mapValues(\.header)) {
                rest.removeFirst()
                plan = try self.plan(request, of: image.header, Array(rest))
            }
            let job = Job(plan: plan, image: image, marks: marks)
            return try await ServiceError.ofTheSource(ignored: ignoresAll) {
                let settle: @Sendable (RenderedImage) async throws -> RenderingResult = { [plan] in
                    try await settled($0, plan, of: origin, under: name)
                }
                if let smaller = try await jobOnPreScaledCopy(for: job, of: origin, permit) {
                    do {
                        return try await render(smaller, permit, settle)
                    } catch is RemovedCopy {
                        // The source has the same pixels, but takes longer.
                    }
                }
                return try await render(job, permit, settle)
            }
        }
    }

    private func plan(_ request: ImageRequest, of header: ImageHeader, _ automatic: [ImageFormat]) throws -> ImagePlan {
        var plan = try ImagePlan(request, of: header, automatic: automatic, limits: settings.limits)
        plan.output.effort = settings.effort
        plan.output.keepsCopyright = settings.keepsCopyright
        return plan
    }

    /// Whether a plan is within the limits that depend on its format: sides, memory and work.
    private func allows(_ plan: ImagePlan, _ header: ImageHeader, _ marks: [FileKey: ImageHeader]) -> Bool {
        guard let cost = try? self.cost(of: plan, header, marks) else { return false }
        return cost.memory <= admission.limits.memory
    }

    /// Decides how a rendered image is served: the source if the image is no improvement; from the disk if it is large
    /// or the memory for served images is full, because slow clients must not hold all images in memory.
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
            throw ServiceError(
                .overloaded,
                "Too many images are being sent; try again in a second.",
                limit: "images.memory"
            )
        }
        return .finished(fresh)
    }

    /// Stores a derivative, unless its source is deleted or too many derivatives wait to be stored.
    func store(_ image: RenderedImage, of origin: ImageOrigin, under name: DerivativeName) async {
        // A derivative that cannot be stored is not an error: it is rendered again. A separate task, because a
        // cancelled task could store an image and then not check whether its source is deleted.
        try? await shieldedFromCancellation {
            try await storing.run {
                try await derivatives.store(image.bytes, as: image.format.mediaType, under: name)
                // The source can have been deleted while the derivative was stored.
                if await !origin.isThere() { try await derivatives.remove(allOf: origin.source) }
            }
        }
    }
}

extension ImageService {
    /// Removes shared derivatives whose time is over, once a day until the task is cancelled; for one of all servers.
    package func expireDerivatives() async {
        // Not at each start, because all derivatives are listed.
        var pause = Duration.seconds(600)
        while (try? await Task.sleep(for: pause)) != nil {
            // What stays is removed the next day.
            try? await derivatives.removeExpired()
            pause = .seconds(86_400)
        }
    }
}

/// A failure that the request ignores: the response is the source.
struct IgnoredFailure: Error {}

extension ServiceError {
    /// Runs the body.
    ///
    /// - Throws: The errors of the body; ``IgnoredFailure`` instead if failures are ignored and the error comes from
    ///   the image, not from the server's state.
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
