internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import Logging
internal import ServiceLifecycle

/// Works through the censorship queues, and measures them.
///
/// Jobs in a queue when the server stops are done after the next start.
struct CensorWorkers: Service {
    let apps: [AppServices]
    let engine: CensorEngine
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    let isNeeded = apps.contains { $0.files.policy.settings.isAutomatic }
                    await engine.prepare(isNeeded: isNeeded, logger)
                }
                for app in apps {
                    group.addTask { await run(app) }
                    if app.leases.areShared { group.addTask { await app.censorship.readMissedChanges() } }
                }
            }
        }
    }

    private func run(_ app: AppServices) async {
        func gauge(_ name: String) -> Gauge {
            Gauge(label: "lcfile_censorship_\(name)", dimensions: [("app", app.id.description)])
        }
        let (waiting, bulk, oldest) = (gauge("waiting"), gauge("waiting_bulk"), gauge("oldest_seconds"))
        let (examined, total) = (gauge("run_examined"), gauge("run_files"))
        let queue = app.censorship.queue
        await app.leases.holding(.censorship, recovering: queue.recover) {
            await queue.run { progress in
                waiting.record(progress.waiting)
                bulk.record(progress.waitingBulk)
                oldest.record(progress.oldestSeconds)
                examined.record(progress.examined)
                total.record(progress.total)
            }
            // Another server measures it from now on.
            for gauge in [waiting, bulk, oldest, examined, total] { gauge.record(0) }
        }
    }
}
