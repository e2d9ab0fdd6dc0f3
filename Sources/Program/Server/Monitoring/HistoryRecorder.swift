internal import Domain
internal import HTTPAPI
internal import ServiceLifecycle

/// Records the history of the server's figures.
struct HistoryRecorder: Service {
    let page: MetricsPage
    let history: ServerHistory

    func run() async throws {
        await cancelWhenGracefulShutdown {
            history.record(page.historyFigures)
            // A new server has a first sample soon.
            try? await Task.sleep(for: .seconds(1))
            while !Task.isCancelled {
                history.record(page.historyFigures)
                try? await Task.sleep(for: .seconds(ServerHistory.interval))
            }
        }
    }
}
