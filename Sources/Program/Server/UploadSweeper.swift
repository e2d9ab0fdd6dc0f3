internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import Logging
internal import ServiceLifecycle

/// Periodically finishes uploads that have all their bytes, and removes and counts expired ones.
///
/// With several servers, one of them does that for all. At the end it ends the responses that wait for events, for
/// which a stopping server would wait.
struct UploadSweeper: Service {
    let apps: [AppServices]
    /// Seconds between two sweeps.
    let interval: Int
    let logger: Logger

    func run() async throws {
        let uploads = Counter(label: "lcfile_uploads_expired_total")
        let bytes = Counter(label: "lcfile_uploads_abandoned_bytes_total")
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps where app.leases.areShared {
                    group.addTask {
                        await app.leases.holding(.uploads) { await repeating { await sweep(app, uploads, bytes) } }
                    }
                    // What only this server knows of: uploads that it could not finish when they had all their bytes.
                    group.addTask { await repeating { await app.uploads.finishRecovered() } }
                }
                let alone = apps.filter { !$0.leases.areShared }
                group.addTask { await repeating { for app in alone { await sweep(app, uploads, bytes) } } }
            }
        }
        for app in apps {
            await app.uploads.endProgressStreams()
            app.recentChanges.end()
        }
    }

    /// Runs a body at once, and after each interval, until the task is cancelled.
    private func repeating(_ body: () async -> Void) async {
        while !Task.isCancelled {
            await body()
            try? await Task.sleep(for: .seconds(interval))
        }
    }

    private func sweep(_ app: AppServices, _ uploads: Counter, _ bytes: Counter) async {
        do {
            let swept = try await app.uploads.sweep()
            guard swept.uploads > 0 else { return }
            uploads.increment(by: swept.uploads)
            bytes.increment(by: swept.bytes)
            logger.info(
                "Uploads expired",
                metadata: ["app": "\(app.id)", "uploads": "\(swept.uploads)", "bytes": "\(swept.bytes)"]
            )
        } catch is CancellationError {
            // The server stops.
        } catch {
            logger.error("Uploads cannot be finished or removed", metadata: ["app": "\(app.id)", "error": "\(error)"])
        }
    }
}
