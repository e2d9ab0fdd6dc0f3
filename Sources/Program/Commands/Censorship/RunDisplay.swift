internal import ArgumentParser
internal import FileClient
internal import Glibc

/// Shows a bulk run: its progress on standard error, its end on standard output.
struct RunDisplay: Sendable {
    private let printsJSON: Bool
    private let isQuiet: Bool

    init(_ output: OutputOptions) {
        printsJSON = output.json
        isQuiet = output.quiet
    }

    /// Shows the progress until the run is done or cancelled.
    ///
    /// - Throws: `ExitCode` if it was cancelled, or after Ctrl-C, which leaves the run going.
    func follow(_ run: CensorRun, on client: FileClient) async throws {
        do {
            let end = try await Interruption.cancelling {
                var run = run
                defer { clear() }
                while run.state == .running {
                    draw(run)
                    try await Task.sleep(for: .seconds(1))
                    run = try await client.censorRun(run.id)
                }
                return run
            }
            try self.end(with: end, endsCommand: true)
        } catch is CancellationError {
            Terminal.printError("lcfile: the run goes on at the server; follow it with: lcfile censor run --follow")
            Terminal.printError("lcfile: cancel it with: lcfile censor run --cancel")
            throw ExitCode(ExitStatus.interrupted)
        }
    }

    /// Prints the state of a run.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - endsCommand: Whether a cancelled run is a failure.
    /// - Throws: `ExitCode` for a cancelled run, if it is a failure.
    func end(with run: CensorRun, endsCommand: Bool) throws {
        if printsJSON {
            try JSONLines.print([run])
        } else if !isQuiet {
            for line in Table.lines(RunDisplay.rows(run)) { Terminal.printLine(line) }
        }
        if endsCommand, run.state == .cancelled {
            Terminal.printError("lcfile: the run was cancelled; continue it with: lcfile censor run --resume")
            throw ExitCode(ExitStatus.failure)
        }
    }

    /// One line of progress: ` 25%  250/1000 images  240 passed  8 review  2 rejected`.
    static func progress(_ run: CensorRun) -> String {
        // The files behind the present position are not selected yet; every file counts once, when it is finished.
        let finished = max(0, run.examined - run.queued + run.decided)
        let share = run.total > 0 ? min(100, finished * 100 / run.total) : 0
        let percent = String(repeating: " ", count: 3 - "\(share)".count) + "\(share)%"
        let parts = [
            percent, "\(finished)/\(Amount.count(run.total, "file"))", "\(run.passed) passed", "\(run.review) review",
            "\(run.rejected) rejected",
        ]
        return parts.joined(separator: "  ")
    }

    private static func rows(_ run: CensorRun) -> [[String]] {
        [
            ["run", run.id], ["state", run.state.rawValue], ["files created", "\(run.from) to \(run.to)"],
            ["examined", "\(run.examined) of \(Amount.count(run.total, "file"))"],
            ["checked", "\(run.decided) of \(run.queued)"], ["passed", "\(run.passed)"], ["review", "\(run.review)"],
            ["rejected", "\(run.rejected)"],
        ].map { $0.map(Terminal.printable) }
    }

    private func draw(_ run: CensorRun) {
        guard !isQuiet, Terminal.showsProgress else { return }
        let line = Columns.shortened(RunDisplay.progress(run), to: Terminal.width - 1)
        Terminal.write("\r\(line)\u{1B}[K", to: STDERR_FILENO)
    }

    private func clear() {
        guard !isQuiet, Terminal.showsProgress else { return }
        Terminal.write("\r\u{1B}[K", to: STDERR_FILENO)
    }
}
