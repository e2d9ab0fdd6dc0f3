internal import Domain
internal import Logging
internal import S3Blobs
internal import ServiceLifecycle

/// Shows the other servers that this one lives, and removes what interrupted uploads left in the bucket (`blobs.store`).
struct BucketWorkers: Service {
    let buckets: [BucketBlobs]
    let logger: Logger

    /// The time between two searches for abandoned parts.
    private static let interval = Duration.seconds(3600)
    /// The age in seconds from which parts are abandoned: no put takes as long.
    private static let abandoned: Int64 = 86_400

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for bucket in buckets { group.addTask { await bucket.staging.run() } }
                group.addTask { await removeAbandoned() }
            }
        }
    }

    /// Runs a body that commits uploads before the services run.
    func whileAlive(_ body: () async -> Void) async {
        await withDiscardingTaskGroup { group in
            for bucket in buckets { group.addTask { await bucket.staging.run() } }
            await body()
            group.cancelAll()
        }
    }

    /// Tells other servers that this one has ended; called when no request uses the buckets any more.
    func leave() async {
        for bucket in buckets { await bucket.staging.leave() }
    }

    private func removeAbandoned() async {
        while !Task.isCancelled {
            for bucket in buckets {
                do {
                    let count = try await bucket.store.abortUploads(olderThan: BucketWorkers.abandoned)
                    guard count > 0 else { continue }
                    logger.info(
                        "Abandoned parts were removed from the bucket",
                        metadata: ["app": "\(bucket.app)", "uploads": "\(count)"]
                    )
                } catch is CancellationError {
                    return
                } catch {
                    logger.error(
                        "Abandoned parts cannot be removed from the bucket",
                        metadata: ["app": "\(bucket.app)", "error": "\(error.logged)"]
                    )
                }
            }
            try? await Task.sleep(for: BucketWorkers.interval)
        }
    }
}
