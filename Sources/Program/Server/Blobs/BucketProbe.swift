internal import Domain
internal import NIOPosix
internal import S3
internal import Synchronization

/// Finds out whether the store of blobs answers, for `/ready`: by one request every few seconds, with little patience.
final class BucketProbe: Sendable {
    private let client: S3Client
    private let object: String
    private let pool: NIOThreadPool
    private let last = Mutex<(answers: Bool, at: ContinuousClock.Instant)?>(nil)

    /// How long a result counts: one without an answer is looked at again by the next check.
    private static let memory = Duration.seconds(10)

    /// The options of its client: a failed request is not repeated, and must end before ``Readiness/bound``.
    static var options: S3Options {
        var options = S3Options()
        (options.attempts, options.connectTimeout, options.idleTimeout, options.idleConnections) = (1, 3, 4, 1)
        return options
    }

    /// - Parameters:
    ///   - client: A client with ``options``.
    ///   - object: The object that is requested.
    ///   - pool: The thread that waits.
    init(_ client: S3Client, _ object: String, on pool: NIOThreadPool) {
        self.client = client
        self.object = object
        self.pool = pool
    }

    /// The obstacle, if there is one.
    func check() async -> Set<Readiness.Obstacle> {
        let now = ContinuousClock.now
        if let last = last.withLock({ $0 }), last.answers, last.at.duration(to: now) < BucketProbe.memory { return [] }
        // It throws only if it is cancelled.
        let answers = (try? await pool.runIfActive { [client, object] in (try? client.head(object)) != nil }) ?? true
        last.withLock { $0 = (answers, now) }
        return answers ? [] : [.blobStore]
    }
}
