internal import Domain
internal import NIOCore
internal import VipsMedia

/// The parts for images that all apps of a server share.
struct ImageEngine {
    let renderer: VipsRenderer
    let admission: ImageAdmission
    /// The memory for images that are served from memory.
    let served: ServedMemory
    /// The memory for files from other servers, until they are stored.
    let fetched: ServedMemory

    /// Starts libvips.
    ///
    /// - Throws: Errors of the renderer if it cannot start.
    init(_ configuration: ServerConfiguration, _ pools: ThreadPools, _ requestLimits: RequestLimits) throws {
        let threads = configuration.threads
        renderer = try VipsRenderer(
            pool: pools.images,
            quickPool: pools.quickImages,
            worker: WorkerLauncher(
                memory: threads.imageWorkerMemory,
                limits: configuration.images.limits,
                pool: pools.quickImages
            ),
            workers: threads.imageWorkers,
            // The other half stays free for images that need no process.
            queue: threads.imageQueue / 2
        )
        admission = ImageAdmission(ImageEngine.limits(configuration.threads), requestLimits: requestLimits)
        served = ServedMemory(limit: configuration.servedImageMemory)
        fetched = ServedMemory(limit: configuration.fetchedMemory)
    }

    /// The common limits of image jobs.
    static func limits(_ threads: ServerConfiguration.ThreadSettings) -> ImageAdmission.Limits {
        let workers = threads.images > 0 ? threads.images : System.coreCount
        var limits = ImageAdmission.Limits(workers: workers, memory: threads.imageMemory, queue: threads.imageQueue)
        // At least one lane, also with few processors: a cheap job then gets a part of a processor.
        limits.lanes = max(1, workers / 4)
        // One waiting job for each worker process, and some that compute in this process.
        limits.overruns = 2 * limits.lanes + threads.imageWorkers + 2
        return limits
    }
}
