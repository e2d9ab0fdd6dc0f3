extension ImageService {
    /// A plan with its source and its watermark images.
    struct Job {
        var plan: ImagePlan
        var image: ImageInput
        var marks: [FileKey: ImageInput] = [:]
    }

    /// Fetches the images of a plan, waits for a worker and memory, runs the plan, and finishes the result while the
    /// job still holds its slot.
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
        let image = try await fetch(job.image)
        var fetchedMarks: [FileKey: OpenImage] = [:]
        for (key, mark) in job.marks { fetchedMarks[key] = try await fetch(mark) }
        return try await renderer.reserving(for: images, cost.time, permit.requester) { [fetchedMarks] priority in
            try await permit.run(cost, atMost: priority) { priority in
                let rendered = try await renderer.render(
                    job.plan,
                    of: image,
                    marks: fetchedMarks,
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
}
