internal import Domain
internal import NIOCore
internal import NIOPosix

/// The thread pools for all blocking work, which never runs on the cooperative pool.
struct ThreadPools {
    /// Runs file operations on blobs, and libmagic.
    let disk: NIOThreadPool
    /// Runs requests to the store of `blobs.store`, except those of readers.
    let blobs: NIOThreadPool
    /// Runs the requests of readers to that store, and reads its cache: a store can hang for puts alone.
    let blobReads: NIOThreadPool
    /// Runs libvips jobs of low priority; these threads have a higher niceness than all others.
    let images: NIOThreadPool
    /// Runs libvips for headers and cheap jobs.
    let quickImages: NIOThreadPool
    /// Hashes passwords.
    let passwords: NIOThreadPool
    /// Runs requests to other servers.
    let web: NIOThreadPool
    /// Runs fetches from other servers, which can be slow.
    let fetches: NIOThreadPool
    /// Runs fetches for guests.
    let guestFetches: NIOThreadPool
    /// Runs fetches from the origins of mirrors.
    let mirror: NIOThreadPool
    /// Runs requests to webhooks of censorship.
    let webhooks: NIOThreadPool
    /// Runs connections to the mail server.
    let mail: NIOThreadPool
    /// Runs requests to the SMS gateway.
    let sms: NIOThreadPool
    /// Parses large JSON bodies.
    let bodies: NIOThreadPool
    /// Look up single objects, for each app: a thread waits while all of its app's connections are in use.
    let lookups: [NIOThreadPool]
    /// Runs queries until they count as slow.
    let quickQueries: NIOThreadPool
    /// Runs slow queries.
    let slowQueries: NIOThreadPool

    /// Runs the body with started pools, and stops them after it returns or throws.
    ///
    /// - Throws: ``ExitError`` if the system does not give the process enough threads; the errors of the body.
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
            blobs: NIOThreadPool(numberOfThreads: configuration.blobThreads),
            blobReads: NIOThreadPool(numberOfThreads: configuration.blobThreads),
            // Only cheap jobs have lanes or run beyond the number of workers.
            images: NIOThreadPool(numberOfThreads: images.workers),
            // Two more, so that headers are read while images are rendered.
            quickImages: NIOThreadPool(numberOfThreads: images.threads + 2),
            passwords: NIOThreadPool(numberOfThreads: threads.passwords),
            web: NIOThreadPool(numberOfThreads: 4),
            fetches: NIOThreadPool(numberOfThreads: threads.fetches),
            guestFetches: NIOThreadPool(numberOfThreads: configuration.guestFetches.threads),
            // A generated app can have a mirror that only its own file names.
            mirror: NIOThreadPool(numberOfThreads: max(1, configuration.mirrorThreads)),
            webhooks: NIOThreadPool(numberOfThreads: configuration.webhookThreads(apps: apps)),
            mail: NIOThreadPool(numberOfThreads: configuration.mailThreads(apps: apps)),
            sms: NIOThreadPool(numberOfThreads: configuration.smsThreads(apps: apps)),
            bodies: NIOThreadPool(numberOfThreads: max(1, System.coreCount / 2)),
            // As many as there are connections, because queries rarely use all of theirs.
            lookups: (0..<apps).map { _ in NIOThreadPool(numberOfThreads: threads.databaseReaders + 2) },
            // A query that continues as a slow one stays on its thread.
            quickQueries: NIOThreadPool(numberOfThreads: apps * (queries.quick + queries.slow)),
            slowQueries: NIOThreadPool(numberOfThreads: apps * queries.slow)
        )
        // Each connection to PostgreSQL has a thread.
        let databases = configuration.databaseConnections(apps: apps)
        let count = pools.all.reduce(0) { $0 + $1.numberOfThreads }
        try ThreadTrial.require(count + databases + ThreadTrial.others)
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

    /// Probes of all pools, under the names that the metrics have; of the look-ups of the apps only the first.
    var probes: [PoolProbe] {
        let shared = [
            ("disk", disk), ("blobs", blobs), ("blob_reads", blobReads),
            ("images", images), ("quick_images", quickImages), ("passwords", passwords), ("web", web),
            ("fetches", fetches), ("guest_fetches", guestFetches), ("mirror", mirror), ("webhooks", webhooks),
            ("mail", mail), ("sms", sms),
            ("bodies", bodies), ("quick_queries", quickQueries), ("slow_queries", slowQueries),
        ]
        return (shared + lookups.prefix(1).map { ("lookups", $0) }).map(PoolProbe.init)
    }

    private var all: [NIOThreadPool] {
        [
            slowQueries, quickQueries, bodies, sms, mail, webhooks, mirror, guestFetches, fetches, web, passwords,
            quickImages, images, blobReads, blobs, disk,
        ] + lookups
    }
}
