internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// Sends the mails in the queues, and measures them.
///
/// Mails in a queue when the server stops are sent after the next start.
struct MailWorkers: Service {
    let apps: [AppServices]

    func run() async throws {
        // A service that ends would end the server.
        guard apps.contains(where: { $0.mails != nil }) else {
            try await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps {
                    guard let queue = app.mails else { continue }
                    group.addTask { await run(queue, of: app.id) }
                }
            }
        }
    }

    private func run(_ queue: MailQueue, of app: AppID) async {
        let dimensions = [("app", app.description)]
        func gauge(_ name: String) -> Gauge { Gauge(label: "lcfile_mails_\(name)", dimensions: dimensions) }
        func counter(_ name: String) -> Counter {
            Counter(label: "lcfile_mails_\(name)_total", dimensions: dimensions)
        }
        let (waiting, dead, oldest) = (gauge("waiting"), gauge("dead"), gauge("oldest_seconds"))
        let (sent, failed, givenUp) = (counter("sent"), counter("failed"), counter("given_up"))
        await queue.run { progress in
            waiting.record(progress.waiting)
            dead.record(progress.dead)
            oldest.record(progress.oldestSeconds)
            switch progress.outcome {
            case .sent?: sent.increment()
            case .failed?: failed.increment()
            case .dead?: givenUp.increment()
            case nil: break
            }
        }
    }
}
