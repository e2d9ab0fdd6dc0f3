internal import Domain
internal import NIOCore
internal import NIOPosix

/// The thread pools for all blocking work, which never runs on the cooperative pool.
struct ThreadPools {
    /// Blobs and libmagic.
    let disk: NIOThreadPool
    /// libvips, jobs of low priority; these threads have a higher niceness than all others.
    let images: NIOThreadPool
    /// libvips, headers and cheap jobs.
    let quickImages: NIOThreadPool
    /// Passwords.
    let passwords: NIOThreadPool
    /// Requests to other servers.
    let web: NIOThreadPool
    /// Fetches from other servers, which can be slow.
    let fetches: NIOThreadPool
    /// Fetches for guests.
    let guestFetches: NIOThreadPool
    /// Large JSON bodies.
    let bodies: NIOThreadPool
    /// Queries, until they count as slow.
    let quickQueries: NIOThreadPool
    /// Slow queries.
    let slowQueries: NIOThreadPool

    /// Runs the body with started pools, and stops them after it returns or throws.
    static func with(
        _ configuration: ServerConfiguration,
        apps: Int,
        _ body: (ThreadPools) async throws -> Void
    ) async throws {
        let threads = configuration.threads
        let images = ImageEngine.limits(threads)
        let queries = configuration.queryAdmission
        let pools = ThreadPools(
            disk: NIOThreadPool(numberOfThreads: threads.disk),
            // Other jobs than cheap ones have neither lanes nor go on beside them.
            images: NIOThreadPool(numberOfThreads: images.workers),
            // Two more, so that headers are read while images are made.
            quickImages: NIOThreadPool(numberOfThreads: images.threads + 2),
            passwords: NIOThreadPool(numberOfThreads: threads.passwords),
            web: NIOThreadPool(numberOfThreads: 4),
            fetches: NIOThreadPool(numberOfThreads: threads.fetches),
            guestFetches: NIOThreadPool(numberOfThreads: configuration.guestFetches.threads),
            bodies: NIOThreadPool(numberOfThreads: max(1, System.coreCount / 2)),
            // A query that continues as a slow one stays on its thread.
            quickQueries: NIOThreadPool(numberOfThreads: apps * (queries.quick + queries.slow)),
            slowQueries: NIOThreadPool(numberOfThreads: apps * queries.slow)
        )
        for pool in pools.all { pool.start() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(pools))
        } catch {
            result = .failure(error)
        }
        for pool in pools.all { try await pool.shutdownGracefully() }
        try result.get()
    }

    private var all: [NIOThreadPool] {
        [slowQueries, quickQueries, bodies, guestFetches, fetches, web, passwords, quickImages, images, disk]
    }
}
