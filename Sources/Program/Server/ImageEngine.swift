internal import Domain
internal import NIOCore
internal import VipsMedia

/// What all apps of a server share to make images.
struct ImageEngine {
    let renderer: VipsRenderer
    let admission: ImageAdmission
    /// Images that are answered from memory.
    let served: ServedMemory
    /// Files of other servers, until they are stored.
    let fetched: ServedMemory

    /// Starts libvips.
    ///
    /// - Throws: What the renderer throws if it cannot start.
    init(_ configuration: ServerConfiguration, _ pools: ThreadPools) throws {
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
        admission = ImageAdmission(ImageEngine.limits(configuration.threads))
        served = ServedMemory(limit: configuration.servedImageMemory)
        fetched = ServedMemory(limit: configuration.fetchedMemory)
    }

    /// What image jobs may take together.
    static func limits(_ threads: ServerConfiguration.ThreadSettings) -> ImageAdmission.Limits {
        let workers = threads.images > 0 ? threads.images : System.coreCount
        var limits = ImageAdmission.Limits(workers: workers, memory: threads.imageMemory, queue: threads.imageQueue)
        // Also where the processors are fewer: a cheap job gets its part of one.
        limits.lanes = max(1, workers / 4)
        // As many that wait for a worker process as there are processes, and some that compute here.
        limits.overruns = 2 * limits.lanes + threads.imageWorkers + 2
        return limits
    }
}
