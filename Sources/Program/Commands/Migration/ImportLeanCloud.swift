internal import ArgumentParser
internal import FileClient
internal import Migration

struct ImportLeanCloud: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leancloud",
        abstract: "Import an app of LeanCloud: classes, files, users, roles, objects, relations.",
        discussion: """
            An EXPORT is a folder, a .tar.gz or .zip, or one file such as Post.0.jsonl, Post.jsonl.gz or \
            Post_all.json. Objects get the ids and times that they had, users log in with the same passwords and \
            stay logged in, files have the same keys. Files are copied from their URLs; --file-domain replaces the \
            beginning.

            A journal beside the export has the state of every object. A run that was interrupted or killed continues \
            where it was. Needs the master key.

            Examples:
              lcfile import leancloud export.tar.gz --dry-run
              lcfile import leancloud export.tar.gz --file-domain https://files.example.com --report report.html
              lcfile import leancloud export.tar.gz --verify
              lcfile import leancloud export/ --class Post --class Comment
            """
    )

    @Argument(help: ArgumentHelp("The export.", valueName: "export"), completion: .file())
    var export: String

    @Option(
        help: ArgumentHelp("The URL in front of the keys of files. Default: the url of each record.", valueName: "url")
    )
    var fileDomain: String?

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp("Import this class only; can be repeated.", valueName: "name")
    )
    var classNames: [String] = []

    @Flag(
        help: """
            Leave out the bytes of files. If the server has a mirror.origin, their records are created, and the server \
            fetches the bytes when they are requested.
            """
    )
    var withoutFiles = false

    @OptionGroup(title: "Migration")
    var options: MigrationOptions

    @Flag(help: "Change objects that have other values on the server, or have changed since they were imported.")
    var update = false

    @Flag(help: "Compare every object and file with the server; imports nothing.")
    var verify = false

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard fileDomain.map({ $0.hasPrefix("http://") || $0.hasPrefix("https://") }) ?? true else {
            throw ValidationError("--file-domain must begin with http:// or https://.")
        }
        guard fileDomain == nil || !withoutFiles else {
            throw ValidationError("--file-domain and --without-files exclude each other.")
        }
        guard !(verify && (update || options.dryRun || options.retryFailed)) else {
            throw ValidationError("--verify cannot be combined with --update, --dry-run and --retry-failed.")
        }
    }

    func run() async throws {
        do {
            let client = try server.client(with: .master, options.client(transfer))
            let session = MigrationSession(
                participle: "imported",
                noun: "object",
                options: options,
                transfer: transfer,
                output: output,
                identity: JournalIdentity(
                    source: "import leancloud \(MigrationOptions.absolute(export))",
                    server: client.server,
                    app: client.appID
                ),
                journal: options.journal ?? MigrationOptions.journal(beside: export)
            )
            try await run(session, client, try Export(export))
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    private func run(_ session: MigrationSession, _ client: FileClient, _ export: Export) async throws {
        var repeats = RepeatRules()
        (repeats.failed, repeats.changed) = (options.retryFailed, update)
        let chosen = Set(classNames)
        if let unknown = chosen.subtracting(export.classNames).min() {
            throw UsageError("the export has no class \(unknown); it has \(export.classNames.joined(separator: ", "))")
        }
        guard !options.dryRun else {
            let known =
                Journal.exists(at: session.journal) ? try Journal(at: session.journal, for: session.identity) : nil
            let preview = try await export.preview(of: chosen, known, repeating: repeats, fileDomain: fileDomain)
            session.printPreview(preview)
            return
        }
        var what = LeanCloudImport.Options()
        (what.fileDomain, what.classNames) = (fileDomain, chosen)
        (what.leavesOutFiles, what.changesObjects) = (withoutFiles, update)
        let (isVerification, isQuiet) = (verify, output.quiet)
        let totals: @Sendable () async throws -> ItemTotals = { try await export.totals(of: chosen) }
        try await session.run(repeating: repeats, verifies: verify, expecting: totals) { [what] run, display in
            let notice: @Sendable (String) -> Void = { text in
                if !isQuiet { display.bar.printNotice("lcfile: " + Terminal.printable(text)) }
            }
            if isVerification {
                try await LeanCloudVerification(export, client, run, what, notice: notice)()
            } else {
                try await LeanCloudImport(export, client, run, what, notice: notice)()
            }
        }
    }
}
