internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Migration

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all objects and files of the app to a folder, in the form of LeanCloud's export.",
        discussion: """
            The folder has <Class>.jsonl and <Class>_schema.json for each class, _Join:<field>:<Class>.jsonl for each \
            relation, _permissions.json, _indexes.json, and the files under their keys in files/. An export that was \
            interrupted continues, by the journal DIR.lcfile-export-journal beside the folder. \
            'lcfile import leancloud DIR' imports the folder. Needs the master key.

            Passwords and sessions are not in it: no request returns them. 'lcfile backup' has them.

            Examples:
              lcfile export app/
              lcfile export app/ --without-files
            """
    )

    @Argument(help: ArgumentHelp("The folder; created if it does not exist.", valueName: "dir"), completion: .directory)
    var folder: String

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp("Export this class only; can be repeated.", valueName: "name")
    )
    var classNames: [String] = []

    @Flag(help: "Leave out the bytes of files.")
    var withoutFiles = false

    @OptionGroup(title: "Migration")
    var options: MigrationOptions

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard !options.dryRun else { throw ValidationError("--dry-run is for imports.") }
    }

    func run() async throws {
        do {
            let client = try server.client(with: .master, options.client(transfer))
            let folder = MigrationOptions.absolute(folder)
            do {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                throw UsageError("the folder \(folder) cannot be created")
            }
            let session = MigrationSession(
                participle: "exported",
                noun: "file",
                options: options,
                transfer: transfer,
                output: output,
                identity: JournalIdentity(source: "export \(folder)", server: client.server, app: client.appID),
                journal: options.journal
                    ?? MigrationOptions.journal(beside: folder, suffix: PathRules.exportJournalSuffix)
            )
            var repeats = RepeatRules()
            repeats.failed = options.retryFailed
            let (chosen, hasFiles) = (Set(classNames), !withoutFiles)
            let journal = try session.open()
            try await session.run(on: journal, repeating: repeats) { run, display in
                let download = AppDownload(client, to: folder, of: chosen) { text in
                    display.bar.printNotice("lcfile: " + Terminal.printable(text))
                }
                try await download()
                let export = try Export(folder)
                if hasFiles, export.classNames.contains("_File") {
                    try await AppDownload.downloadFiles(of: export, run, from: client)
                }
            }
        } catch {
            try ServerOptions.end(with: error)
        }
    }
}
