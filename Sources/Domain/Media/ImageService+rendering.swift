extension ImageService {
    /// A plan with its source and its watermark images.
    struct Job {
        var plan: ImagePlan
        var image: ImageInput
        var marks: [FileKey: ImageInput] = [:]
    }

    /// Fetches the images of a plan from other machines, waits for a worker and memory, opens the images of this
    /// machine, runs the plan, and finishes the result while the job still holds its slot.
    func render<Result: Sendable>(
        _ job: Job,
        _ permit: ImageAdmission.Permit,
        _ finish: @escaping @Sendable (RenderedImage) async throws -> Result
    ) async throws -> Result {
        let marks = job.marks.mapValues(\.header)
        let cost = try cost(of: job.plan, job.image.header, marks)
        let images = marks.values + [job.image.header]
        // Images are fetched before the job gets its slot, so that a job that waits for another machine holds none. So
        // there are as many copies as waiting jobs, each of at most `images.maxSourceSize`.
        let image = try await copied(job.image)
        var copiedMarks: [FileKey: ImageInput] = [:]
        for (key, mark) in job.marks { copiedMarks[key] = try await copied(mark) }
        return try await renderer.reserving(for: images, cost.time, permit.requester) { [copiedMarks] priority in
            try await permit.run(cost, atMost: priority) { priority in
                var opened: [FileKey: OpenImage] = [:]
                for (key, mark) in copiedMarks { opened[key] = try await fetch(mark) }
                let rendered = try await renderer.render(
                    job.plan,
                    of: try await fetch(image),
                    marks: opened,
                    with: priority,
                    until: .now + settings.limits.time(for: cost.time)
                )
                return try await finish(rendered)
            }
        }
    }

    /// The cost estimate of a plan, checked against `images.maxWork` and the sides that the format can store.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    func cost(
        of plan: ImagePlan,
        _ header: ImageHeader,
        _ marks: [FileKey: ImageHeader] = [:]
    ) throws -> ImageCost {
        let format = plan.output.format
        guard max(plan.size.width, plan.size.height) <= format.maxSide else {
            throw ServiceError(
                .imageTooLarge,
                "The result has \(plan.size) pixels; \(format.rawValue) can store \(format.maxSide) a side."
            )
        }
        let time = plan.timeEstimate(of: header, marks: marks)
        try settings.limits.checkWork(time)
        return ImageCost(memory: plan.memoryEstimate(of: header, marks: marks), time: time)
    }

    /// The cost estimate of decoding one frame of an image: that of a small still thumbnail, for which the decoder does
    /// almost all of the work.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit.
    func decodingCost(of header: ImageHeader) throws -> ImageCost {
        var still = EncodingParameters()
        still.format = .jpeg
        let thumbnail = ImageRequest([.view(ImageView(mode: .inside, width: 64, height: 64, encoding: still))])
        return try cost(of: ImagePlan(thumbnail, of: header, limits: settings.limits), header)
    }
}
