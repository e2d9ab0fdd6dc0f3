internal import ServiceLifecycle

/// Probes the thread pools every few seconds, for the metrics.
struct PoolWatch: Service {
    let probes: [PoolProbe]

    /// The time between two probes of a pool.
    private static let interval = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for probe in probes { probe.submit() }
                try? await Task.sleep(for: PoolWatch.interval)
            }
        }
    }
}
