internal import ServiceLifecycle
internal import Synchronization
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
        try await run(group, until: UnixSignalsSequence(trapping: .sigterm, .sigint))
    }

    /// Runs a group until a sequence has a signal, or one of its services fails.
    ///
    /// - Parameters:
    ///   - group: The services.
    ///   - signals: The signals that stop them.
    /// - Throws: The error of the service that failed.
    func run(_ group: ServiceGroup, until signals: some AsyncSequence<UnixSignal, Never> & Sendable) async throws {
        let isStopping = Atomic(false)
        let stop: @Sendable () async -> Void = {
            isStopping.store(true, ordering: .relaxed)
            await group.triggerGracefulShutdown()
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await withDiscardingTaskGroup { pauses in
                    var hasBegun = false
                    for await signal in signals {
                        log.stop(because: signal == .sigterm ? "SIGTERM" : "SIGINT")
                        drain()
                        guard !hasBegun, drainTime > .zero else {
                            await stop()
                            continue
                        }
                        hasBegun = true
                        pauses.addTask {
                            guard (try? await Task.sleep(for: drainTime)) != nil else { return }
                            await stop()
                        }
                    }
                    pauses.cancelAll()
                }
            }
            defer { tasks.cancelAll() }
            do {
                try await group.run()
            } catch is CancellationError where isStopping.load(ordering: .relaxed) {
                // After `http.shutdownTimeout` the group cancels all services. Those that still wait for their turn to
                // stop throw this, and none of them has failed.
            }
        }
    }
}
