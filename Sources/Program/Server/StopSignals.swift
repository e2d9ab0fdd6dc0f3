internal import ServiceLifecycle
internal import UnixSignals

/// Stops the services at SIGTERM and SIGINT.
///
/// It traps the signals itself, and not the service group, because the log names the signal.
struct StopSignals {
    let log: RunLog

    /// Runs a group until a signal stops it, or one of its services fails.
    ///
    /// - Throws: The error of the service that failed.
    func run(_ group: ServiceGroup) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for await signal in signals {
                    log.stop(because: signal == .sigterm ? "SIGTERM" : "SIGINT")
                    await group.triggerGracefulShutdown()
                }
            }
            defer { tasks.cancelAll() }
            try await group.run()
        }
    }
}
