internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import Logging
internal import ServiceLifecycle

/// Periodically finishes uploads that have all their bytes, and removes and counts expired ones.
///
/// At the end it ends the responses that wait for events, for which a stopping server would wait.
struct UploadSweeper: Service {
    let apps: [AppServices]
    /// Seconds between two sweeps.
    let interval: Int
    let logger: Logger

    func run() async throws {
        let uploads = Counter(label: "lcfile_uploads_expired_total")
        let bytes = Counter(label: "lcfile_uploads_abandoned_bytes_total")
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for app in apps { await sweep(app, uploads, bytes) }
                try? await Task.sleep(for: .seconds(interval))
            }
        }
        for app in apps {
            await app.uploads.endProgressStreams()
            app.recentChanges.end()
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
