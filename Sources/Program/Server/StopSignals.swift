internal import ServiceLifecycle
internal import UnixSignals

/// Stops the services at SIGTERM and SIGINT.
///
/// It traps the signals itself, and not the service group, because the log names the signal, and because the server serves
/// for a while before its services stop (`http.drainTime`).
struct StopSignals {
    let log: RunLog
    /// How long the server serves after the first signal; a second one ends that.
    let drainTime: Duration
    /// Called at the first signal.
    let drain: @Sendable () -> Void

    /// Runs a group until a signal stops it, or one of its services fails.
    ///
    /// - Throws: The error of the service that failed.
    func run(_ group: ServiceGroup) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await withDiscardingTaskGroup { pauses in
                    var hasBegun = false
                    for await signal in signals {
                        log.stop(because: signal == .sigterm ? "SIGTERM" : "SIGINT")
                        drain()
                        guard !hasBegun, drainTime > .zero else {
                            await group.triggerGracefulShutdown()
                            continue
                        }
                        hasBegun = true
                        pauses.addTask {
                            guard (try? await Task.sleep(for: drainTime)) != nil else { return }
                            await group.triggerGracefulShutdown()
                        }
                    }
                    pauses.cancelAll()
                }
            }
            defer { tasks.cancelAll() }
            try await group.run()
        }
    }
}
