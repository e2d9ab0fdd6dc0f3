internal import CoreMetrics
internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// Makes the events of live queries, with one task for each app, and measures them.
///
/// It must stop after the listener: clients whose connections the listener closes can otherwise connect again, and wait
/// for events that do not come.
struct LiveQueryWorkers: Service {
    let services: [(app: AppID, liveQueries: LiveQueryService)]

    /// The time between two measurements.
    private static let interval = Duration.seconds(2)

    /// `nil` if no app has live queries.
    init?(apps: [AppServices]) {
        services = apps.compactMap { app in app.liveQueries.map { (app.id, $0) } }
        if services.isEmpty { return nil }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for (app, liveQueries) in services {
                    group.addTask { await liveQueries.run() }
                    group.addTask { await measure(liveQueries, of: app) }
                }
            }
        }
    }

    private func measure(_ liveQueries: LiveQueryService, of app: AppID) async {
        let dimensions = [("app", app.description)]
        let connections = Gauge(label: "lcfile_live_queries_connections", dimensions: dimensions)
        let subscriptions = Gauge(label: "lcfile_live_queries_subscriptions", dimensions: dimensions)
        let events = Counter(label: "lcfile_live_queries_events_total", dimensions: dimensions)
        let losses = Counter(label: "lcfile_live_queries_losses_total", dimensions: dimensions)
        var counted = (events: 0, losses: 0)
        while !Task.isCancelled {
            let status = liveQueries.status
            connections.record(status.connections)
            subscriptions.record(status.subscriptions)
            events.increment(by: status.events - counted.events)
            losses.increment(by: status.losses - counted.losses)
            counted = (status.events, status.losses)
            try? await Task.sleep(for: LiveQueryWorkers.interval)
        }
    }
}
