internal import CVips
package import Domain
package import NIOCore
package import NIOPosix

/// Renders derivatives with libvips on its own threads; worker processes decode the formats that are not fuzzed
/// upstream.
package struct VipsRenderer: ImageRenderer {
    private let pool: NIOThreadPool
    private let quickPool: NIOThreadPool
    private let worker: WorkerLauncher?
    /// How long each stage takes.
    package let stages = ImageStages()
    private let workers: ImageAdmission
    /// Headers have separate worker processes with short queues, so that slow ones delay neither images nor each other.
    private let headerWorkers: ImageAdmission
    /// Those of HEIC and AVIF have processes of their own: many photographs are such files, and their headers are quick.
    private let photographWorkers: ImageAdmission

    /// The time limit for reading a header.
    static let headerTime = Duration.seconds(10)
    /// The estimated cost of reading a header in a worker process.
    private static let headerCost = ImageCost(memory: 0, time: .milliseconds(100))

    /// Starts libvips if this is the first renderer of the process.
    ///
    /// - Parameters:
    ///   - pool: Threads for jobs of low priority, which get a higher niceness; as many as such jobs at the same time.
    ///   - quickPool: Threads for jobs of normal priority; as many as all jobs at the same time, and some more for
    ///     headers.
    ///   - worker: Decodes the formats of ``SourceFormat/isDecodedByWorker``; with `nil`, those formats are not
    ///     supported.
    ///   - workers: The number of worker processes at the same time. In addition, one runs that is expected to be
    ///     quick, and one that was expected to be quick and is not.
    ///   - queue: The number of jobs that wait for a worker process.
    /// - Throws: An error if libvips cannot start.
    package init(
        pool: NIOThreadPool,
        quickPool: NIOThreadPool,
        worker: WorkerLauncher? = nil,
        workers: Int = 1,
        queue: Int = 128
    ) throws {
        try VipsLibrary.start()
        self.pool = pool
        self.quickPool = quickPool
        self.worker = worker
        var limits = ImageAdmission.Limits(workers: workers, memory: .max, queue: queue)
        limits.lanes = 1
        limits.overruns = 1
        self.workers = ImageAdmission(limits)
        var headerLimits = ImageAdmission.Limits(workers: 1, memory: .max, queue: 9)
        // A header within the lane time does not wait for slow headers.
        headerLimits.lanes = 1
        headerWorkers = ImageAdmission(headerLimits)
        headerLimits.queue = queue
        photographWorkers = ImageAdmission(headerLimits)
    }

    /// The version of libvips that is loaded, such as `8.14.1`.
    package static var libraryVersion: String { vips_version_string().map { String(cString: $0) } ?? "unknown" }

    /// How full the queues for worker processes are: those that decode, and those that read headers.
    package var workerQueues: (decoding: QueueStatus, headers: QueueStatus) {
        (workers.queueStatus, headerWorkers.queueStatus + photographWorkers.queueStatus)
    }

    /// The worker processes so far; `nil` if no format has them.
    package var workerCounts: WorkerCounts? { worker?.counts }

    package func header(of source: ImageSource, for requester: ImageRequester) async throws -> ImageHeader {
        let read = try await reading(source) { bytes, format, watch in
            try stages.header.measure { try HeaderReader(bytes: bytes, watch: watch).read(format) }
        }
        switch read {
        case .here(let header): return header
        case .inWorker(let format, let isSequence):
            var header = try await inWorker(format, for: requester) { worker, priority in
                try await worker.header(of: source, with: priority)
            }
            // By its brand; libheif knows the codec only.
            if format == .avif { header.format = .avif }
            header.hasUnreadFrames = isSequence
            return header
        }
    }

    /// Runs a worker process that reads a header or metadata.
    private func inWorker<Result: Sendable>(
        _ format: SourceFormat,
        for requester: ImageRequester,
        _ read: @escaping @Sendable (WorkerLauncher, ImagePriority) async throws -> Result
    ) async throws -> Result {
        let admission = format.isHEIF ? photographWorkers : headerWorkers
        return try await admission.admit(for: requester) { permit in
            try await permit.run(VipsRenderer.headerCost) { priority in
                try await stages.worker.measureAwaiting { try await read(try launcher(), priority) }
            }
        }
    }

    package func header(
        ofHead head: ByteBuffer,
        of size: Int64,
        for requester: ImageRequester
    ) async throws -> HeadReading {
        try await watched(with: .normal, until: nil) { watch in
            watch.begin(for: VipsRenderer.headerTime)
            return try head.withUnsafeReadableBytes { bytes in
                try stages.header.measure {
                    try HeadReader(bytes: bytes, count: Int(size), watch: watch).read()
                }
            }
        }
    }

    package func reserving<Result: Sendable>(
        for images: [ImageHeader],
        _ estimate: Duration,
        _ requester: ImageRequester,
        _ job: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        guard images.contains(where: \.format.isDecodedByWorker) else { return try await job(.normal) }
        // Without the shared threads and memory, so that slow decoding does not delay other jobs.
        return try await workers.admit(for: requester) { permit in
            try await permit.run(ImageCost(memory: 0, time: estimate), atMost: .normal, job)
        }
    }

    package func render(
        _ plan: ImagePlan,
        of image: OpenImage,
        marks: [FileKey: OpenImage],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> RenderedImage {
        guard VipsLibrary.writable.contains(plan.output.format) else {
            throw ServiceError(
                .badImageRequest,
                "Bad image request: this server's libvips cannot write \(plan.output.format.rawValue)."
            )
        }
        let effort = plan.output.effort
        var decoded = try await decoded(image, at: plan.firstSize(of: image.header), effort, priority, deadline)
        if plan.output.keepsCopyright, image.header.format.isHEIF {
            decoded?.copyright = try await launcher().metadata(of: image.source, with: priority).copyright
        }
        var decodedMarks: [FileKey: DecodedImage] = [:]
        for (key, mark) in marks {
            do {
                decodedMarks[key] = try await self.decoded(mark, at: nil, effort, priority, deadline)
            } catch let error as ServiceError where error.code == .notAnImage {
                throw ServiceError.unreadableMark(error.cause ?? error)
            }
        }
        return try await watched(with: priority, until: deadline) { [decoded, decodedMarks] watch in
            try withInputs(marks, decodedMarks) { inputs in
                try image.source.withBytes { bytes in
                    let job = ImageJob(plan: plan, header: image.header, watch: watch, marks: inputs)
                    return try stages.render.measure {
                        try job.run(decoded.map { .decoded($0, bytes) } ?? .encoded(bytes))
                    }
                }
            }
        }
    }

    package func exif(of source: ImageSource, for requester: ImageRequester) async throws -> [String: ExifField] {
        let read = try await reading(source) { bytes, format, watch in
            // A bitmap has none.
            format == .bmp ? [:] : try HeaderReader(bytes: bytes, watch: watch).exif(format)
        }
        switch read {
        case .here(let fields): return fields
        case .inWorker(let format, _) where format.isHEIF:
            return try await inWorker(format, for: requester) { worker, priority in
                try await worker.metadata(of: source, with: priority).fields
            }
        // The other formats of the worker expose no EXIF.
        case .inWorker: return [:]
        }
    }

    package func average(
        of image: OpenImage,
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> Color {
        let decoded = try await decoded(image, at: AverageColor.size(of: image.header), .fast, priority, deadline)
        return try await watched(with: priority, until: deadline) { watch in
            try image.source.withBytes { bytes in
                try AverageColor(header: image.header, watch: watch).measure(
                    decoded.map { .decoded($0, bytes) } ?? .encoded(bytes)
                )
            }
        }
    }

    package func samples(
        of image: OpenImage,
        frames: [Int],
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> [ImageSample] {
        let decoded = try await decoded(image, at: FrameSampler.size(of: image.header), .fast, priority, deadline)
        return try await watched(with: priority, until: deadline) { watch in
            try image.source.withBytes { bytes in
                try FrameSampler(header: image.header, watch: watch).samples(
                    of: decoded.map { .decoded($0, bytes) } ?? .encoded(bytes),
                    frames: frames
                )
            }
        }
    }

    /// The pixels of an image that the worker process must decode; `nil` for other formats.
    private func decoded(
        _ image: OpenImage,
        at size: ImageSize?,
        _ effort: ImageEffort,
        _ priority: ImagePriority,
        _ deadline: ContinuousClock.Instant
    ) async throws -> DecodedImage? {
        guard image.header.format.isDecodedByWorker else { return nil }
        return try await stages.worker.measureAwaiting {
            try await launcher().decode(
                image.source,
                at: size ?? image.header.size,
                effort,
                with: priority,
                until: deadline
            )
        }
    }

    private func launcher() throws -> WorkerLauncher {
        guard let worker else { throw ServiceError.notAnImage(VipsError(operation: "worker", detail: "none")) }
        return worker
    }

    /// Passes the bytes of all watermark images to a closure.
    private func withInputs<Result>(
        _ marks: [FileKey: OpenImage],
        _ decoded: [FileKey: DecodedImage],
        _ body: ([FileKey: ImageJob.Mark]) throws -> Result
    ) throws -> Result {
        var inputs: [FileKey: ImageJob.Mark] = [:]
        func next(_ rest: ArraySlice<(key: FileKey, value: OpenImage)>) throws -> Result {
            guard let (key, mark) = rest.first else { return try body(inputs) }
            return try mark.source.withBytes { bytes in
                inputs[key] = (mark.header, decoded[key].map { .decoded($0, bytes) } ?? .encoded(bytes))
                return try next(rest.dropFirst())
            }
        }
        return try next(Array(marks)[...])
    }

    /// Runs a job that stops at the deadline, if it has one, and when its task is cancelled.
    func watched<Result: Sendable>(
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant?,
        _ job: @escaping @Sendable (JobWatch) throws -> Result
    ) async throws -> Result {
        let watch = JobWatch(until: deadline)
        return try await withTaskCancellationHandler {
            try await onThread(priority) { try job(watch) }
        } onCancel: {
            watch.cancel()
        }
    }

    private func onThread<Result: Sendable>(
        _ priority: ImagePriority,
        _ job: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await (priority == .low ? pool : quickPool).runIfActive {
            // Permanent: a thread cannot lower its niceness again.
            if priority == .low { ThreadPriority.lower(to: ThreadPriority.images) }
            // libvips caches data for each thread that calls it, and a thread of the pool never ends by itself.
            defer { vips_thread_shutdown() }
            return try job()
        }
    }
}
