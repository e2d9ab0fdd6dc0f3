internal import Domain
internal import NIOCore
internal import NIOPosix
internal import S3

/// The bucket with the staged bytes, and the threads that wait for it; storage faults are reported.
struct StagingBucket: Sendable {
    let client: S3Client
    let pool: NIOThreadPool
    let health: StorageHealth

    /// Runs a body that blocks on a thread of the pool.
    ///
    /// - Parameters:
    ///   - threads: Another pool; `nil` takes the bucket's.
    ///   - body: The body.
    /// - Returns: Its result.
    /// - Throws: The fault that an error of the store means; `CancellationError` in a cancelled task.
    func run<Result: Sendable>(
        on threads: NIOThreadPool? = nil,
        _ body: @escaping @Sendable (S3Client) throws -> Result
    ) async throws -> Result {
        try await (threads ?? pool).runIfActive { try reporting(body) }
    }

    /// Runs a body that blocks to its end, also if no task waits for it.
    func run<Result: Sendable>(
        on eventLoop: any EventLoop,
        _ body: @escaping @Sendable (S3Client) throws -> Result
    ) -> EventLoopFuture<Result> {
        pool.runIfActive(eventLoop: eventLoop) { try reporting(body) }
    }

    /// A missing object is not reported as a fault of the store: another server can have joined segments or ended the
    /// upload, which requests of a guest can cause at any time.
    private func reporting<Result>(_ body: (S3Client) throws -> Result) throws -> Result {
        do {
            return try health.reporting {
                do {
                    return try body(client)
                } catch let error as S3Error {
                    guard error.reason != .missing else { throw error }
                    throw ServiceError(error)
                }
            }
        } catch let error as S3Error {
            throw ServiceError(error)
        }
    }

    /// All objects whose keys begin with a prefix; blocks.
    func objects(_ prefix: String) throws -> [S3Object] {
        var found: [S3Object] = []
        while true {
            let page = try client.list(prefix: prefix, after: found.last?.key)
            found += page.objects
            guard page.hasMore, !page.objects.isEmpty else { return found }
        }
    }

    /// The folders of all segments whose keys begin with a prefix; blocks.
    func folders(_ prefix: String, _ names: StagingNames) throws -> [StagingNames.Folder] {
        var found: [StagingNames.Folder] = []
        var position: String?
        while true {
            let page = try client.list(prefix: prefix, after: position)
            for object in page.objects {
                guard let folder = names.folder(ofSegment: object.key), folder != found.last else { continue }
                found.append(folder)
            }
            guard page.hasMore, let last = page.objects.last?.key else { return found }
            // The other segments of the last folder tell nothing; their names begin with digits.
            position = names.folder(ofSegment: last).map { "\(names.segments(in: $0))~" } ?? last
        }
    }
}
