internal import Domain
internal import NIOCore
internal import NIOPosix

/// The threads that read and write blobs; they report storage faults.
struct DiskThreads: Sendable {
    let pool: NIOThreadPool
    let health: StorageHealth

    func runIfActive<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive { [health] in try health.reporting(body) }
    }

    /// Runs a body without reporting its errors, for errors that are not storage faults.
    func runUnreported<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive(body)
    }

    func runIfActive<Result: Sendable>(
        eventLoop: any EventLoop,
        _ body: @escaping @Sendable () throws -> Result
    ) -> EventLoopFuture<Result> {
        pool.runIfActive(eventLoop: eventLoop) { [health] in try health.reporting(body) }
    }
}
