import Logging
import ServiceLifecycle
import Support
import Testing
import UnixSignals

@testable import Server

/// A service that only ends when it is cancelled, with an error.
private struct EndlessService: Service {
    func run() async throws {
        try await Task.sleep(for: .seconds(86_400))
    }
}

/// A service that fails when it is stopped or cancelled.
private struct FailingService: Service {
    func run() async throws {
        try? await gracefulShutdown()
        throw Broken()
    }
}

/// A service that throws a cancellation that nothing caused.
private struct CancelledService: Service {
    func run() async throws {
        throw CancellationError()
    }
}

@Suite struct StopSignalsTests {
    /// Runs a service with signals, and with no time between the first one and the cancellation.
    private func run(_ service: some Service, with signals: UnixSignal...) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServiceGroupConfiguration(services: [service], logger: logger)
        configuration.maximumGracefulShutdownDuration = .zero
        let (sequence, continuation) = AsyncStream.makeStream(of: UnixSignal.self)
        for signal in signals { continuation.yield(signal) }
        let stop = StopSignals(log: RunLog(logger: logger), drainTime: .zero) {}
        try await stop.run(ServiceGroup(configuration: configuration), until: sequence)
    }

    @Test("a service that is cancelled after a signal, because its time is over, has not failed")
    func cancellation() async throws {
        try await run(EndlessService(), with: .sigterm)
    }

    @Test("a service that fails after a signal has failed")
    func failure() async throws {
        await #expect(throws: Broken.self) { try await run(FailingService(), with: .sigint) }
    }

    @Test("a cancellation without a signal is a failure")
    func cancellationBySelf() async throws {
        await #expect(throws: CancellationError.self) { try await run(CancelledService()) }
    }
}
