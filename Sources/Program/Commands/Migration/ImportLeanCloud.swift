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
              lcfile import leancloud export.tar.gz \\
                --file-domain https://files.example.com --report report.html
              lcfile import leancloud export.tar.gz --verify
              lcfile import leancloud export/ --class Post --class Comment
              LEANCLOUD_MASTER_KEY=… lcfile import leancloud \\
                --from https://api.example.com --source-app-id ID

            --from reads a running app into a folder beside the journal (ID.lcfile-journal in the current folder), and \
            imports it. A second run takes what has changed since, and changes it on the server. Objects that were \
            deleted meanwhile are found by --verify. The API returns neither passwords nor sessions: --users takes \
            them from an export.
            """
    )

    @Argument(help: ArgumentHelp("The export.", valueName: "export"), completion: .file())
    var export: String?

    @OptionGroup(title: "A running app")
    var source: SourceAppOptions

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
        guard (export == nil) != (source.from == nil) else { throw ValidationError("Name an export, or --from.") }
        guard source.from == nil || !options.dryRun else { throw ValidationError("--dry-run needs an export.") }
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
                    source: "import leancloud \(place)",
                    server: client.server,
                    app: client.appID
                ),
                journal: options.journal
                    ?? MigrationOptions.journal(beside: export ?? source.sourceAppID ?? "leancloud")
            )
            if let export {
                try await run(session, client, try Export(export))
            } else {
                try await run(session, client, from: try source.client(options.client(transfer)))
            }
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    /// What the journal belongs to.
    private var place: String {
        export.map { MigrationOptions.absolute($0) } ?? "--from \(source.from ?? "") \(source.sourceAppID ?? "")"
    }

    private func importOptions(changing changes: Bool) -> LeanCloudImport.Options {
        var what = LeanCloudImport.Options()
        (what.fileDomain, what.classNames) = (fileDomain, Set(classNames))
        (what.leavesOutFiles, what.changesObjects) = (withoutFiles, changes)
        return what
    }

    private static func notices(_ display: MigrationDisplay, _ isQuiet: Bool) -> @Sendable (String) -> Void {
        { text in if !isQuiet { display.bar.printNotice("lcfile: " + Terminal.printable(text)) } }
    }

    /// Imports a running app, or what has changed in it since the last run.
    private func run(_ session: MigrationSession, _ client: FileClient, from app: FileClient) async throws {
        let spool = try SourceSpool(beside: session.journal, forVerification: verify)
        let continues = !verify && spool.isUnfinished
        do {
            try await run(session, client, from: app, through: spool)
        } catch let end as ExitCode where continues && !spool.isUnfinished && end.rawValue == ExitStatus.failure {
            // Reported; the next pass reads the classes of the failed objects again. A pass that stopped has the same
            // status, and leaves its download unfinished: a second one would only continue it.
        }
        if continues { try await run(session, client, from: app, through: spool) }
    }

    /// Imports the unfinished download of an interrupted run, or a new one.
    private func run(
        _ session: MigrationSession,
        _ client: FileClient,
        from app: FileClient,
        through spool: SourceSpool
    ) async throws {
        let users = try source.users.map { try Export($0) }
        let what = importOptions(changing: true)
        let (isVerification, isQuiet) = (verify, output.quiet)
        var repeats = RepeatRules()
        // What changes between two runs is the reason for the second.
        (repeats.failed, repeats.changed) = (true, true)
        let journal = try session.open()
        try await session.run(on: journal, repeating: repeats, verifies: verify) { run, display in
            let notice = ImportLeanCloud.notices(display, isQuiet)
            let starts = spool.starts
            let time = try await AppDownload(app, to: spool.export).serverTime()
            try spool.begin(at: time)
            let download = AppDownload(
                app,
                to: spool.export,
                of: what.classNames,
                changedSince: starts,
                notice: notice
            )
            try await download()
            let export = try Export(spool.export)
            guard !isVerification else {
                try await LeanCloudVerification(export, client, run, what, notice: notice)()
                try spool.discard()
                return
            }
            var first: LeanCloudImport?
            if let users {
                var secrets = what
                (secrets.classNames, secrets.kindPrefix, secrets.givesSecretsOnly) = (["_User"], "users ", true)
                first = LeanCloudImport(users, client, run, secrets, notice: notice)
            } else if starts["_User"] == nil, export.classNames.contains("_User") {
                notice("The API returns neither passwords nor sessions; take them from an export with --users.")
            }
            try await LeanCloudImport(export, client, run, what, notice: notice)(users: first)
            try spool.end(completing: try await what.completeClasses(of: export, journal))
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
                Journal.exists(at: session.journal) ? try session.open() : nil
            let preview = try await export.preview(of: chosen, known, repeating: repeats, fileDomain: fileDomain)
            session.printPreview(preview)
            return
        }
        let what = importOptions(changing: update)
        let (isVerification, isQuiet) = (verify, output.quiet)
        let totals: @Sendable () async throws -> ItemTotals = { try await export.totals(of: chosen) }
        let journal = try session.open()
        try await session.run(on: journal, repeating: repeats, verifies: verify, expecting: totals) { run, display in
            let notice = ImportLeanCloud.notices(display, isQuiet)
            if isVerification {
                try await LeanCloudVerification(export, client, run, what, notice: notice)()
            } else {
                try await LeanCloudImport(export, client, run, what, notice: notice)()
            }
        }
    }
}
