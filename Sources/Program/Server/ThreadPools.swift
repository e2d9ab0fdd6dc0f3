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
        diskThreads: Int,
        imageThreads: Int,
        quickImageThreads: Int,
        passwordThreads: Int,
        fetchThreads: Int,
        guestFetchThreads: Int,
        bodyThreads: Int,
        quickQueryThreads: Int,
        slowQueryThreads: Int,
        _ body: (ThreadPools) async throws -> Void
    ) async throws {
        let pools = ThreadPools(
            disk: NIOThreadPool(numberOfThreads: diskThreads),
            images: NIOThreadPool(numberOfThreads: imageThreads),
            quickImages: NIOThreadPool(numberOfThreads: quickImageThreads),
            passwords: NIOThreadPool(numberOfThreads: passwordThreads),
            web: NIOThreadPool(numberOfThreads: 4),
            fetches: NIOThreadPool(numberOfThreads: fetchThreads),
            guestFetches: NIOThreadPool(numberOfThreads: guestFetchThreads),
            bodies: NIOThreadPool(numberOfThreads: bodyThreads),
            quickQueries: NIOThreadPool(numberOfThreads: quickQueryThreads),
            slowQueries: NIOThreadPool(numberOfThreads: slowQueryThreads)
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
