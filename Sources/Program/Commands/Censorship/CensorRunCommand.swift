internal import ArgumentParser
internal import FileClient

struct CensorRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Check all images that were created in a range of time.",
        discussion: """
            The server does the work; the command shows the progress until the run is done. Ctrl-C leaves the run \
            going; --follow shows it again. New uploads are checked before those of the run. Images with a person's \
            verdict are never checked again, others only with --recheck. One run goes on at a time.

            Examples:
              lcfile censor run --from 2026-01-01 --to 2026-02-01
              lcfile censor run --status
              lcfile censor run --cancel
            """
    )

    @Option(
        help: ArgumentHelp("Files created at this time or later.", valueName: "time"),
        transform: TimeArgument.option("--from")
    )
    var from: String?

    @Option(
        help: ArgumentHelp("Files created before this time. Default: now.", valueName: "time"),
        transform: TimeArgument.option("--to")
    )
    var to: String?

    @Flag(help: "Check also images with a machine's verdict.")
    var recheck = false

    @Flag(help: "Start the run, and do not wait for its end.")
    var noWait = false

    @Flag(help: "What to do with a run, instead of starting one.")
    var action: Action?

    @Option(
        help: ArgumentHelp("The run for --status, --follow, --cancel, --resume. Default: the last.", valueName: "run")
    )
    var id: String?

    @OptionGroup
    var person: PersonOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    /// What to do with a run.
    enum Action: String, EnumerableFlag {
        case status, follow, cancel, resume

        static func help(for action: Action) -> ArgumentHelp? {
            switch action {
            case .status: "Print the state of a run."
            case .follow: "Show the progress of a run until it is done."
            case .cancel: "Cancel a run; what it has decided stays."
            case .resume: "Continue a cancelled run, and show its progress."
            }
        }
    }

    func validate() throws {
        guard action == nil else {
            guard from == nil, to == nil, !recheck else {
                throw ValidationError("--from, --to and --recheck start a run; they exclude the other options.")
            }
            return
        }
        guard from != nil else {
            throw ValidationError("Set --from, or one of --status, --follow, --cancel and --resume.")
        }
        guard id == nil else { throw ValidationError("--id needs --status, --follow, --cancel or --resume.") }
    }

    func run() async throws {
        let display = RunDisplay(output)
        try await server.connect { client in
            switch action {
            case .status: try display.end(with: try await known(client), endsCommand: false)
            case .cancel:
                let run = try await client.setState(ofCensorRun: try await known(client).id, to: .cancelled)
                try display.end(with: run, endsCommand: false)
            case .follow: try await display.follow(try await known(client), on: client)
            case .resume:
                let run = try await client.setState(ofCensorRun: try await known(client).id, to: .running)
                try await followUnlessTold(run, display, client)
            case nil:
                guard let from, let end = to ?? TimeArgument.moment("0s") else { return }
                let run = try await client.startCensorRun(from: from, to: end, rechecking: recheck, by: person.name)
                try await followUnlessTold(run, display, client)
            }
        }
    }

    private func followUnlessTold(_ run: CensorRun, _ display: RunDisplay, _ client: FileClient) async throws {
        guard noWait else { return try await display.follow(run, on: client) }
        try display.end(with: run, endsCommand: false)
    }

    /// The run of `--id`, otherwise the last one.
    private func known(_ client: FileClient) async throws -> CensorRun {
        if let id { return try await client.censorRun(id) }
        guard let run = try await client.censorRuns().first else {
            throw NoSuchRun(description: "there is no run yet; start one with --from")
        }
        return run
    }
}

/// The server has no run.
private struct NoSuchRun: Error, CustomStringConvertible {
    let description: String
}
