internal import Glibc
internal import Synchronization

/// The progress of transfers on standard error, and results on standard output without disturbing each other.
final class ProgressBar: Sendable {
    private struct State {
        var meter = RateMeter()
        var isVisible = false
        var hasEnded = false
    }

    private let progress: TransferProgress
    private let isShown: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameters:
    ///   - progress: What to show.
    ///   - isShown: Whether there is a line; only on a terminal.
    init(_ progress: TransferProgress, isShown: Bool) {
        self.progress = progress
        self.isShown = isShown && Terminal.showsProgress
    }

    /// Runs the body and shows its progress until it returns.
    func show<Result: Sendable>(during body: () async throws -> Result) async rethrows -> Result {
        async let _: Void = tick()
        defer { end() }
        return try await body()
    }

    /// Prints a line to standard output, above the progress.
    func printLine(_ text: String) {
        state.withLock { state in
            clear(&state)
            Terminal.printLine(text)
        }
    }

    /// Prints a line to standard error, above the progress.
    func printNotice(_ text: String) {
        state.withLock { state in
            clear(&state)
            Terminal.printError(text)
        }
    }

    /// The number of seconds since the beginning.
    var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    private func tick() async {
        guard isShown else { return }
        while !Task.isCancelled {
            draw()
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func draw() {
        let snapshot = progress.snapshot
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.meter.sample(snapshot.bytes, at: seconds)
            let line = ProgressLine.text(snapshot, rate: state.meter.rate, width: Terminal.width, style: .error)
            Terminal.write("\r\(line)\u{1B}[K", to: STDERR_FILENO)
            state.isVisible = true
        }
    }

    /// Removes the progress from the terminal; later changes are not shown.
    func end() {
        state.withLock { state in
            clear(&state)
            state.hasEnded = true
        }
    }

    private func clear(_ state: inout State) {
        if state.isVisible { Terminal.write("\r\u{1B}[K", to: STDERR_FILENO) }
        state.isVisible = false
    }
}
