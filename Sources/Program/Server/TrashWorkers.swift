internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import Logging
internal import ServiceLifecycle

/// Removes files from the trash when their time is over, with one worker for each app; measures the trash, and ends
/// abandoned collections.
struct TrashWorkers: Service {
    let apps: [AppServices]
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps {
                    group.addTask { await run(app) }
                    group.addTask { await endIdleCollections(of: app) }
                }
            }
        }
    }

    private func run(_ app: AppServices) async {
        let dimensions = [("app", app.id.description)]
        let files = Gauge(label: "lcfile_trash_files", dimensions: dimensions)
        let bytes = Gauge(label: "lcfile_trash_bytes", dimensions: dimensions)
        let expired = Counter(label: "lcfile_trash_expired_total", dimensions: dimensions)
        await app.leases.holding(.trash) { [logger] in
            await app.trash.run { usage, removed in
                files.record(usage.trashFiles)
                bytes.record(usage.trashBytes)
                expired.increment(by: removed)
            } failing: { error in
                let metadata: Logger.Metadata = ["app": "\(app.id)", "error": "\(error.logged)"]
                logger.error("Files cannot be removed from the trash; this is tried again", metadata: metadata)
            }
            // Another server measures it from now on.
            for gauge in [files, bytes] { gauge.record(0) }
        }
    }

    private func endIdleCollections(of app: AppServices) async {
        while !Task.isCancelled {
            app.collections.endIdle()
            try? await Task.sleep(for: .seconds(60))
        }
    }
}
