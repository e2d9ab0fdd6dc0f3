internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials
internal import Glibc

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files, verify them, and print their paths, one on each line.",
        discussion: """
            A file appears when it is complete: its size is right, and its hash is that of the server. Until then its \
            bytes are in '<name>.lcfile-part', where the command continues when it is run again.

            Examples:
              lcfile get 6b014fd02ccc0416011d10e3
              lcfile get -o photos/ EKWh3RrPianRe7qe3Lf0hXSA7RPYeijO.jpg
              lcfile get -o - 6b014fd02ccc0416011d10e3 | tar x
              lcfile ls --json | jq -r .objectId | xargs lcfile get -o backup/
            """
    )

    @Argument(help: ArgumentHelp("Files by objectId, key or URL.", valueName: "file"))
    var files: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A file, a folder, or '-' for standard output. Default: the current folder.",
            valueName: "path"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace files that exist.")
    var overwrite = false

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var printing: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        guard output != "" else { throw ValidationError("--output is empty.") }
        if output == "-" {
            guard files.count == 1 else { throw ValidationError("Standard output takes one file.") }
            guard !printing.json else { throw ValidationError("--json and the file cannot share standard output.") }
        }
    }

    func run() async throws {
        do {
            let downloads = FileDownloads(
                client: try server.client(with: master ? .master : .app, transfer.client),
                destination: try DownloadDestination(output, holdsSeveral: files.count > 1),
                overwrites: overwrite
            )
            let items = files.map { GetItem(name: $0) }
            try await FileTransfers("downloaded", transfer, printing).run(items) { item, report in
                try await downloads.download(item, report)
            }
        } catch {
            try ServerOptions.end(with: error)
        }
    }
}

/// One file that is downloaded.
struct GetItem: TransferredFile {
    let name: String
    /// The size is known only when the record is there.
    let size: Int64? = 0
}
