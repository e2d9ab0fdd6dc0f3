internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// Removes the bytes of deleted files, with one worker for each app, and measures the deletion queues.
///
/// Entries in a queue when the server stops are processed after the next start.
struct DeletionWorkers: Service {
    let apps: [AppServices]

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps {
                    group.addTask { await run(app) }
                    // Each server has derivatives of its own.
                    group.addTask { await app.deletions.followDeletions() }
                }
            }
        }
    }

    private func run(_ app: AppServices) async {
        let dimensions = [("app", app.id.description)]
        let waiting = Gauge(label: "lcfile_deletions_waiting", dimensions: dimensions)
        let removed = Counter(label: "lcfile_deletions_removed_total", dimensions: dimensions)
        let failed = Counter(label: "lcfile_deletions_failed_total", dimensions: dimensions)
        await app.leases.holding(.deletions) {
            async let expiry: Void = app.images.expireDerivatives()
            await app.deletions.run { progress in
                waiting.record(progress.waiting)
                removed.increment(by: progress.removed)
                failed.increment(by: progress.failed)
            }
            // Another server measures it from now on.
            waiting.record(0)
            await expiry
        }
    }
}
