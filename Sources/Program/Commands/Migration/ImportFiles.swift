internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Glibc
internal import Migration

struct ImportFiles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "Import the files of folders, lists and manifests, each exactly once.",
        discussion: """
            A journal beside the source has the state of every file. A run that was interrupted or killed continues \
            where it was; a later run imports what is new. Needs the master key.

            A SOURCE is a folder, a file, a URL, or '-' for a list of paths and URLs on standard input. A folder \
            called 'files' is ./files.

            Examples:
              lcfile import photos/
              lcfile import photos/ --keep-paths --key-prefix album --exclude '*.tmp'
              find /data -name '*.png' -newer mark | lcfile import - --journal png.journal
              lcfile import --manifest files.csv --report report.html
              lcfile import photos/ --verify
            """
    )

    @Argument(help: ArgumentHelp("Folders, files, URLs, or '-'.", valueName: "source"), completion: .file())
    var sources: [String] = []

    @OptionGroup(title: "Source")
    var selection: SelectionOptions

    @OptionGroup(title: "The files")
    var description: ImportedFileOptions

    @OptionGroup(title: "Migration")
    var options: MigrationOptions

    @Flag(help: "Replace files whose source has changed since they were imported.")
    var update = false

    @Flag(help: "Compare every file with what the server serves; imports nothing.")
    var verify = false

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard !sources.isEmpty || !selection.manifest.isEmpty else {
            throw ValidationError("Name a folder, a file, a URL, '-' or a --manifest.")
        }
        guard sources.count(where: { $0 == "-" }) <= 1 else { throw ValidationError("'-' can be named once.") }
        guard !(verify && (update || options.dryRun || options.retryFailed)) else {
            throw ValidationError("--verify cannot be combined with --update, --dry-run and --retry-failed.")
        }
        guard !verify || !sources.contains("-") else {
            throw ValidationError("--verify reads the source again, which '-' cannot.")
        }
    }

    func run() async throws {
        do {
            let client = try server.client(with: .master, options.client(transfer))
            let places = try places()
            let (rules, template) = (selection.rules, description.template)
            let open: @Sendable () throws -> FileSources = { FileSources(places, rules, template) }
            let session = MigrationSession(
                participle: "imported",
                noun: "file",
                options: options,
                transfer: transfer,
                output: output,
                identity: JournalIdentity(source: identity, server: client.server, app: client.appID),
                journal: options.journal ?? defaultJournal
            )
            var repeats = RepeatRules()
            (repeats.failed, repeats.changed) = (options.retryFailed, update)
            guard !options.dryRun else {
                let known =
                    Journal.exists(at: session.journal) ? try session.open() : nil
                session.printPreview(try await SourcePreview(known, "file", repeating: repeats, from: open))
                return
            }
            var expected: (@Sendable () async throws -> ItemTotals)?
            if !sources.contains("-") { expected = { try await SourcePreview(nil, "file", from: open).all } }
            let isVerification = verify
            let journal = try session.open()
            try await session.run(on: journal, repeating: repeats, verifies: verify, expecting: expected) { run, _ in
                if isVerification {
                    try await ImportFiles.verify(run, client, open)
                } else {
                    try await ImportFiles.send(run, client, open)
                }
            }
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    private static func send(
        _ run: MigrationRun,
        _ client: FileClient,
        _ open: @escaping @Sendable () throws -> FileSources
    ) async throws {
        let files = FileImport(client, run.journal)
        try await run.send("file", from: open) { batch, progress in
            var ends: [ItemEnd] = []
            for planned in batch { ends.append(await files.send(planned, progress)) }
            return ends
        }
        files.removeTemporaryFiles()
    }

    private static func verify(
        _ run: MigrationRun,
        _ client: FileClient,
        _ open: @escaping @Sendable () throws -> FileSources
    ) async throws {
        try await run.journal.beginVerification()
        let files = FileVerification(client)
        try await run.verify("file", inBatchesOf: .init(items: 20), from: open) { batch, progress in
            await files.compare(batch, progress)
        }
    }

    /// What the journal belongs to: the places, and what decides the keys of files.
    private var identity: String {
        var words = ["import"]
        words += sources.map { $0 == "-" || $0.contains("://") ? $0 : MigrationOptions.absolute($0) }
        words += selection.manifest.flatMap { ["--manifest", MigrationOptions.absolute($0)] }
        words += description.identity
        return words.joined(separator: " ")
    }

    private var defaultJournal: String {
        guard let first = (sources + selection.manifest).first(where: { $0 != "-" && !$0.contains("://") }) else {
            return "lcfile-import.lcfile-journal"
        }
        return MigrationOptions.journal(beside: first)
    }

    private func places() throws -> [FileSources.Place] {
        try sources.map { source in
            guard source != "-" else { return .list(descriptor: STDIN_FILENO) }
            guard !source.contains("://") else { return .file(source) }
            var status = stat()
            guard stat(source, &status) == 0 else {
                throw UsageError("\(source): \(String(cString: strerror(errno)))")
            }
            return status.st_mode & S_IFMT == S_IFDIR ? .folder(source) : .file(source)
        } + selection.manifest.map { .manifest($0) }
    }
}

/// Which files of the sources are imported.
struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A list of files with their names, keys and ACLs: CSV if its name ends in .csv, otherwise JSON Lines; can be "
                + "repeated.",
            valueName: "path"
        ),
        completion: .file()
    )
    var manifest: [String] = []

    @Option(
        help: ArgumentHelp(
            "Import only files of folders that match, such as '*.jpg' or 'docs/**/*.pdf'; can be repeated.",
            valueName: "glob"
        )
    )
    var include: [String] = []

    @Option(help: ArgumentHelp("Leave out files and folders that match; can be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Flag(help: "Import files and folders whose names begin with a dot.")
    var hidden = false

    @Flag(help: "Follow symbolic links in folders; otherwise they are left out.")
    var followLinks = false

    var rules: PathRules {
        var rules = PathRules()
        (rules.included, rules.excluded) = (include, exclude)
        (rules.showsHidden, rules.followsLinks) = (hidden, followLinks)
        return rules
    }
}

/// What the server stores about every imported file.
struct ImportedFileOptions: ParsableArguments {
    @Flag(help: "Use the path in the imported folder as key, instead of a random one.")
    var keepPaths = false

    @Option(help: ArgumentHelp("Folders in front of every key.", valueName: "folders"))
    var keyPrefix: String?

    @Option(
        help: ArgumentHelp("Members of metaData of every file, such as '{\"album\":\"summer\"}'.", valueName: "json"),
        transform: { try DescriptionOptions.object($0, "--meta", DescriptionOptions.metaDataExample) }
    )
    var meta: JSON?

    @Option(
        help: ArgumentHelp("The ACL of every file. Default: that of the class.", valueName: "json"),
        transform: { try DescriptionOptions.object($0, "--acl", DescriptionOptions.aclExample) }
    )
    var acl: JSON?

    var template: FileTemplate {
        var template = FileTemplate()
        (template.keepsPaths, template.keyPrefix) = (keepPaths, keyPrefix)
        (template.description.metaData, template.description.acl) = (meta, acl)
        return template
    }

    /// The options that decide the keys of files.
    var identity: [String] { (keepPaths ? ["--keep-paths"] : []) + (keyPrefix.map { ["--key-prefix", $0] } ?? []) }
}
