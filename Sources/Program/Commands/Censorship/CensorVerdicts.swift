internal import ArgumentParser
internal import FileClient

struct CensorPass: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pass",
        abstract: "Allow images; machines do not change this later.",
        discussion: """
            A blocked file can be downloaded again at once. A file that fails does not stop the others.

            Examples:
              lcfile censor pass 6b014fd02ccc0416011d10e3 --note 'a painting'
              lcfile censor list --verdict review --from 1d --all --json \\
                | lcfile censor pass -
            """
    )

    @OptionGroup
    var options: VerdictOptions

    func run() async throws {
        try await options.run(.passed)
    }
}

struct CensorBlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block",
        abstract: "Block images at once on all URLs; machines do not change this later.",
        discussion: """
            The server also remembers the image, and checks reject copies of it. A file that fails does not stop the \
            others.

            Examples:
              lcfile censor block 6b014fd02ccc0416011d10e3 --note 'reported by a user'
              lcfile censor block - < ids.txt
            """
    )

    @OptionGroup
    var options: VerdictOptions

    func run() async throws {
        try await options.run(.rejected)
    }
}

/// The files of a verdict and who decides.
struct VerdictOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "objectIds; '-' reads them from standard input, one on each line or JSON Lines with objectId.",
            valueName: "id"
        )
    )
    var files: [String]

    @Option(help: ArgumentHelp("The reason, for the history and the log.", valueName: "text"))
    var note: String?

    @OptionGroup
    var person: PersonOptions

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    /// Sets the verdict of every file and ends the command.
    func run(_ verdict: Verdict) async throws {
        let (note, name) = (note, person.name)
        let participle = verdict == .passed ? "passed" : "blocked"
        try await CensoredFiles(participle, transfer, output).run(files, server) { client, file in
            let state = try await client.setVerdict(verdict, of: file, note: note, by: name)
            return CensoredFile(id: file, text: participle, state: state)
        }
    }
}

struct CensorCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check images now and print the results; a person's verdict does not change.",
        discussion: """
            Examples:
              lcfile censor check 6b014fd02ccc0416011d10e3
            """
    )

    @Argument(help: ArgumentHelp("objectIds; '-' reads them from standard input.", valueName: "id"))
    var files: [String]

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func run() async throws {
        try await CensoredFiles("checked", transfer, output).run(files, server) { client, file in
            let verdict = try await client.censor(file)
            let state = CensorState(objectId: file, censorResult: verdict)
            return CensoredFile(id: file, text: verdict.rawValue, state: state)
        }
    }
}
