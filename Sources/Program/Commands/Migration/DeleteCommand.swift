internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Glibc
internal import Migration

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete many files, by name, condition, age, or because nothing refers to them.",
        discussion: """
            Shows the number of selected files and their bytes, and asks; --yes does not ask. Conditions are combined: \
            a file must meet all of them. Needs the master key.

            --unreferenced selects files to which no object refers, by the rules of 'lcfile collect': no value of type \
            File, no pointer, no relation, and no string with the file's URL. It never selects files that were created \
            or changed in the last 24 hours, files on other servers, and the image in place of blocked ones.

            Examples:
              lcfile delete 6b014fd02ccc0416011d10e3 album/photo.jpg
              lcfile ls --all --json | lcfile delete - --yes
              lcfile delete --manifest files.csv
              lcfile delete --where '{"mime_type":"video/mp4"}' --older-than 90d --dry-run
              lcfile delete --unreferenced
            """
    )

    @Argument(help: ArgumentHelp("objectIds, keys or URLs, or '-' for a list on standard input.", valueName: "file"))
    var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "A list of files: one name on each line, JSON Lines, or CSV (if its name ends in .csv) with objectId, key or "
                + "url; can be repeated.",
            valueName: "path"
        ),
        completion: .file()
    )
    var manifest: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Files that match a condition, such as '{\"name\":\"tmp.txt\"}'.", valueName: "json"),
        transform: { try DescriptionOptions.object($0, "--where", #"{"name":"tmp.txt"}"#) }
    )
    var condition: JSON?

    @Option(
        help: ArgumentHelp("Files created more than this time ago, such as 90d, 12h or 30m.", valueName: "time"),
        transform: { try DeleteCommand.seconds($0) }
    )
    var olderThan: Double?

    @Flag(help: "Files to which no object refers.")
    var unreferenced = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "Migration")
    var options: MigrationOptions

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        let selects = condition != nil || olderThan != nil || unreferenced
        guard selects != !(files + manifest).isEmpty else {
            throw ValidationError("Name files, or select them with --where, --older-than or --unreferenced; not both.")
        }
        guard !files.contains("-") || files.count == 1 else {
            throw ValidationError("'-' is the only source of a list.")
        }
        guard !files.contains("-") || yes || options.dryRun else {
            throw ValidationError(
                "A list on standard input needs --yes or --dry-run: the question would be read from it."
            )
        }
    }

    func run() async throws {
        do {
            let client = try server.client(with: .master, options.client(transfer))
            let session = MigrationSession(
                participle: "deleted",
                noun: "file",
                options: options,
                transfer: transfer,
                output: output,
                identity: JournalIdentity(source: identity, server: client.server, app: client.appID),
                journal: options.journal ?? "lcfile-delete.lcfile-journal"
            )
            let journal = try session.open()
            let totals: ItemTotals
            do {
                totals = try await Interruption.cancelling { try await select(client, journal) }
            } catch {
                // The error of the selection is the one to report.
                try? await journal.removeIfUnused()
                throw error
            }
            guard totals.count > 0 || options.retryFailed, !options.dryRun else {
                return try await end(journal, totals)
            }
            guard yes || confirms(totals) else {
                try await journal.removeIfUnused()
                throw ExitCode(ExitStatus.failure)
            }
            let expected: @Sendable () async throws -> ItemTotals = { totals }
            try await session.run(on: journal, repeating: RepeatRules(), expecting: expected) { run, _ in
                let deletion = FileDeletion(client, FileCandidates(selectedIn: run.journal))
                try await run.send(
                    FileCandidates.kind,
                    inBatchesOf: .init(items: 100),
                    from: { CandidateSource(run.journal) },
                    by: { batch, _ in await deletion.delete(batch) }
                )
            }
            try Journal.remove(at: journal.path)
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    /// Stores the selection in the journal and returns its totals.
    private func select(_ client: FileClient, _ journal: Journal) async throws -> ItemTotals {
        let candidates = try await FileCandidates.select(in: journal)
        let deletion = FileDeletion(client, candidates)
        if (files + manifest).isEmpty { try await deletion.select(fullCondition) }
        if files == ["-"] {
            try await deletion.select(NameList(descriptor: STDIN_FILENO), named: "line")
        } else {
            for start in stride(from: 0, to: files.count, by: 100) {
                try await deletion.select(Array(files[start..<min(start + 100, files.count)]))
            }
        }
        for path in manifest { try await deletion.select(try NameList(path: path), named: "\(path), line") }
        if options.retryFailed { try await candidates.addFailed() }
        if unreferenced {
            let display = CollectionDisplay(output, applies: false)
            try await deletion.removeReferenced { display.show($0) }
            display.clear()
        }
        return try await candidates.totals
    }

    /// The condition with the age.
    private var fullCondition: JSON? {
        let age = max(olderThan ?? 0, unreferenced ? FileDeletion.referenceDelay : 0)
        guard age > 0 else { return condition }
        let time = Date(timeIntervalSinceNow: -age).formatted(.iso8601)
        let isOlder = JSON.object([
            "createdAt": .object(["$lt": .object(["__type": .string("Date"), "iso": .string(time)])])
        ])
        return condition.map { .object(["$and": .array([$0, isOlder])]) } ?? isOlder
    }

    private var identity: String {
        var words = ["delete"] + files + manifest.flatMap { ["--manifest", MigrationOptions.absolute($0)] }
        if let condition { words += ["--where", condition.description] }
        if let olderThan { words += ["--older-than", "\(Int(olderThan))s"] }
        if unreferenced { words.append("--unreferenced") }
        return words.joined(separator: " ")
    }

    private func confirms(_ totals: ItemTotals) -> Bool {
        Question.ask("Delete \(Amount.count(totals.count, "file")) with \(Amount.bytes(totals.bytes))?")
    }

    /// Ends a run that deletes nothing.
    private func end(_ journal: Journal, _ totals: ItemTotals) async throws {
        if output.json {
            let members = ["count": JSON.integer(Int64(totals.count)), "bytes": .integer(totals.bytes)]
            Terminal.printLine(JSON.object(members).description)
        } else if !output.quiet {
            let verb = options.dryRun ? "would delete" : "selected"
            Terminal.printLine("\(verb) \(Amount.count(totals.count, "file")), \(Amount.bytes(totals.bytes))")
        }
        let failures = try await journal.failures(Failures.listed)
        try Journal.remove(at: journal.path)
        for item in failures { Terminal.printError("lcfile: " + Terminal.printable("\(item.name): \(item.reason)")) }
        if !failures.isEmpty { throw ExitCode(ExitStatus.failure) }
    }

    /// Parses `90d`, `12h`, `30m`, `45s`.
    private static func seconds(_ text: String) throws -> Double {
        guard let seconds = Amount.seconds(text) else {
            throw ValidationError("--older-than must be a time such as 90d, 12h or 30m.")
        }
        return seconds
    }
}
