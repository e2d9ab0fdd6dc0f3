internal import Domain
internal import NIOCore
internal import NIOPosix

/// The threads that all blocking work runs on: never the cooperative pool's.
struct ThreadPools {
    /// Blobs and libmagic.
    let disk: NIOThreadPool
    /// libvips, jobs that may compute for long; these threads become nicer than all others.
    let images: NIOThreadPool
    /// libvips, headers and cheap jobs.
    let quickImages: NIOThreadPool
    /// Passwords.
    let passwords: NIOThreadPool
    /// Questions to other servers.
    let web: NIOThreadPool
    /// Files of other servers, which may be slow.
    let fetches: NIOThreadPool
    /// The same for guests.
    let guestFetches: NIOThreadPool
    /// Large JSON bodies.
    let bodies: NIOThreadPool
    /// Queries, until they are slow.
    let quickQueries: NIOThreadPool
    /// Slow queries.
    let slowQueries: NIOThreadPool

    /// Runs the body with started pools, and stops them when it ends, however it ends.
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
