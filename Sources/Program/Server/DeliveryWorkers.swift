internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// Sends the mails and SMS in the queues, and measures them.
///
/// Messages in a queue when the server stops are sent after the next start.
struct DeliveryWorkers: Service {
    let apps: [AppServices]

    func run() async throws {
        // A service that ends would end the server.
        guard apps.contains(where: { $0.mails != nil || $0.sms != nil }) else {
            try await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps {
                    if let queue = app.mails { add(queue, "mails", .mails, of: app, to: &group) }
                    if let queue = app.sms { add(queue, "sms", .sms, of: app, to: &group) }
                }
            }
        }
    }

    private func add<Work: DeliveryWork>(
        _ queue: DeliveryQueue<Work>,
        _ name: String,
        _ job: LeasedJob,
        of app: AppServices,
        to group: inout DiscardingTaskGroup
    ) {
        group.addTask {
            await app.leases.holding(job, recovering: queue.recover) {
                await run(queue, name, of: app.id)
            }
        }
        group.addTask { await measure(queue, name, of: app.id) }
    }

    private func run<Work: DeliveryWork>(_ queue: DeliveryQueue<Work>, _ name: String, of app: AppID) async {
        func counter(_ what: String) -> Counter {
            Counter(label: "lcfile_\(name)_\(what)_total", dimensions: [("app", app.description)])
        }
        let (sent, failed, givenUp) = (counter("sent"), counter("failed"), counter("given_up"))
        await queue.run { outcome in
            switch outcome {
            case .sent: sent.increment()
            case .failed: failed.increment()
            case .dead: givenUp.increment()
            }
        }
    }

    /// Measures what waits: as often as it takes a twentieth of the time, because a long queue takes long to read.
    private func measure<Work: DeliveryWork>(_ queue: DeliveryQueue<Work>, _ name: String, of app: AppID) async {
        func gauge(_ what: String) -> Gauge {
            Gauge(label: "lcfile_\(name)_\(what)", dimensions: [("app", app.description)])
        }
        let (waiting, dead, oldest) = (gauge("waiting"), gauge("dead"), gauge("oldest_seconds"))
        while !Task.isCancelled {
            let start = ContinuousClock.now
            if let progress = try? await queue.progress() {
                waiting.record(progress.waiting)
                dead.record(progress.dead)
                oldest.record(progress.oldestSeconds)
            }
            try? await Task.sleep(for: max(.seconds(1), start.duration(to: .now) * 20))
        }
    }
}
