internal import Domain
internal import NIOCore
internal import NIOPosix

/// The threads that read and write blobs, which report the faults of the storage that they meet.
struct DiskThreads: Sendable {
    let pool: NIOThreadPool
    let health: StorageHealth

    func runIfActive<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive { [health] in try health.reporting(body) }
    }

    /// Reports nothing: for errors that are none of the storage's.
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
