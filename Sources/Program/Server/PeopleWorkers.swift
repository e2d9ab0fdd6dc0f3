internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// Delivers statuses to inboxes and removes what deleted users had, with one worker for each app; measures the queues.
///
/// Jobs in a queue when the server stops go on after the next start.
struct PeopleWorkers: Service {
    let apps: [AppServices]

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps {
                    group.addTask { await run(app) }
                    group.addTask { await measure(app) }
                }
            }
        }
    }

    private func run(_ app: AppServices) async {
        let givenUp = Counter(label: "lcfile_people_jobs_given_up_total", dimensions: [("app", app.id.description)])
        await app.leases.holding(.people) { await app.people.run { givenUp.increment() } }
    }

    private func measure(_ app: AppServices) async {
        let waiting = Gauge(label: "lcfile_people_jobs_waiting", dimensions: [("app", app.id.description)])
        while !Task.isCancelled {
            if let count = try? await app.people.waiting() { waiting.record(count) }
            try? await Task.sleep(for: .seconds(5))
        }
    }
}
