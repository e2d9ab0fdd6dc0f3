internal import NIOPosix

/// The threads that all blocking work runs on: never the cooperative pool's.
struct ThreadPools {
    /// Blobs and libmagic.
    let disk: NIOThreadPool
    /// libvips.
    let images: NIOThreadPool

    /// Runs the body with started pools, and stops them when it ends, however it ends.
    static func with(diskThreads: Int, imageThreads: Int, _ body: (ThreadPools) async throws -> Void) async throws {
        let pools = ThreadPools(
            disk: NIOThreadPool(numberOfThreads: diskThreads),
            images: NIOThreadPool(numberOfThreads: imageThreads)
        )
        pools.disk.start()
        pools.images.start()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(pools))
        } catch {
            result = .failure(error)
        }
        try await pools.images.shutdownGracefully()
        try await pools.disk.shutdownGracefully()
        try result.get()
    }
}
