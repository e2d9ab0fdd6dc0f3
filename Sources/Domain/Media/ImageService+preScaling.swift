internal import NIOCore

extension ImageService {
    /// The job on a pre-scaled copy of its source, if the copy exists or rendering it saves time; otherwise `nil`.
    ///
    /// A copy saves time for images much larger than it. Only results of at most half its size are rendered from it,
    /// because their second resampling is not visible.
    func jobOnPreScaledCopy(for job: Job, of origin: ImageOrigin, _ permit: ImageAdmission.Permit) async throws -> Job?
    {
        let side = settings.preScaledSide
        let upright = job.image.header.uprightSize
        guard side > 0, max(upright.width, upright.height) >= side * 3 / 2, job.plan.frames == 1,
            !job.image.header.hasAlpha,
            let (steps, target) = job.plan.stepsOnUpright(job.image.header),
            max(target.width, target.height) <= side / 2
        else { return nil }
        let name = origin.name(of: "mezzanine|\(signature)")
        let size = upright.fitted(width: side, height: side, enlarging: false)
        var header = ImageHeader(format: .jpeg, size: size)
        var smaller = job
        smaller.plan.steps = steps
        smaller.plan.output.orientation = nil
        var output = ImagePlan.Output(format: .jpeg, quality: 92)
        output.effort = job.plan.output.effort
        output.keepsCopyright = job.plan.output.keepsCopyright
        let orient = job.image.header.orientation == 1 ? [] : [ImagePlan.Step.orient(job.image.header.orientation)]
        let plan = ImagePlan(steps: orient + [.scale(size)], output: output, frames: 1, size: size, largestSize: size)
        let original = job.image
        // Rendered once for all small derivatives that are requested together. The cache is checked inside the single
        // flight: after an earlier check, another task could store the copy and end.
        let copy = try await copies.value(for: name, isPersonal: isRefusal) {
            if let cached = try? await derivatives.open(name) { return .cached(cached) }
            return .rendered(try await render(Job(plan: plan, image: original), permit) { $0 })
        } afterwards: { copy in
            if case .rendered(let image) = copy { await store(image, of: origin, under: name) }
        }
        let bytes: ImageBytes
        switch copy {
        case .cached(let cached):
            header.fileSize = Int(cached.blob.size)
            let read = try await ImageBytes(cached.blob)
            if case .local(.file) = read { bytes = .closed(closedCopy(cached, name)) } else { bytes = read }
        case .rendered(let image):
            header.fileSize = image.bytes.readableBytes
            bytes = .local(.memory(image.bytes))
        }
        smaller.image = ImageInput(header: header, bytes: bytes)
        return smaller
    }

    /// A stored copy as a source that is opened when its job runs; opening it throws ``RemovedCopy`` if it is gone then.
    private func closedCopy(_ copy: StoredDerivative, _ name: DerivativeName) -> ImageOrigin {
        ImageOrigin(
            source: name.source,
            version: copy.tag,
            size: copy.blob.size,
            mediaType: copy.mediaType,
            open: { [derivatives] in
                guard let copy = try? await derivatives.open(name) else { throw RemovedCopy() }
                return copy.blob
            }
        )
    }

    /// The error for a pre-scaled copy that the cache removed while a job on it waited.
    struct RemovedCopy: Error {}

    /// A pre-scaled copy of a source, from which small derivatives are rendered.
    enum PreScaledCopy: Sendable {
        case cached(StoredDerivative)
        case rendered(RenderedImage)
    }
}

extension ImagePlan {
    /// The plan's steps for an upright copy, and the size to which they scale first.
    ///
    /// `nil` if the first step does not scale, or if the plan does not apply the orientation.
    fileprivate func stepsOnUpright(_ header: ImageHeader) -> (steps: [Step], size: ImageSize)? {
        var rest = steps[...]
        if header.orientation != 1 {
            guard case .orient? = rest.first else { return nil }
            rest = rest.dropFirst()
        }
        guard case .scale(let size)? = rest.first else { return nil }
        return (Array(rest), size)
    }
}
