internal import ArgumentParser
internal import FileClient

struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Upload files and folders, and print their URLs, one on each line.",
        discussion: """
            A file is on the server's disk when its URL is printed. A file that fails is listed at the end, and the \
            others are uploaded. Large files continue where they stopped, also when the command is run again.

            Folders are uploaded with everything in them, except symbolic links. '-' is standard input and needs \
            --name.

            Examples:
              lcfile upload photo.jpg
              lcfile upload --key-prefix album --keep-name photos/
              tar c folder | lcfile upload - --name folder.tar
              lcfile upload --read everyone \\
                --write user:64f0c1a2b3d4e5f601234500 notes.txt
              lcfile upload --json *.png | jq -r .file.objectId
            """
    )

    @Argument(help: "Files and folders, or '-' for standard input.", completion: .file())
    var files: [String]

    @OptionGroup(title: "The file")
    var description: DescriptionOptions

    @Flag(help: "Use the master key, which ignores permissions.")
    var master = false

    @OptionGroup(title: "Transfer")
    var transfer: TransferOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Server")
    var server: ServerOptions

    func validate() throws {
        if files.contains("-") {
            guard description.name != nil else { throw ValidationError("Standard input needs --name.") }
        }
        guard description.name == nil && description.key == nil || files.count == 1 else {
            throw ValidationError("--name and --key are for one file.")
        }
    }

    func run() async throws {
        do {
            let key: ServerOptions.Key = master || description.key != nil ? .master : .app
            let run = FileUploads(
                client: try server.client(with: key, transfer.client),
                template: try description.description
            )
            let items = UploadItem.items(of: files)
            guard items.count == 1 || description.name == nil && description.key == nil else {
                throw ValidationError("--name and --key are for one file.")
            }
            try await FileTransfers("uploaded", transfer, output).run(items) { item, report in
                try await run.upload(item, report)
            }
        } catch {
            try ServerOptions.end(with: error)
        }
    }
}
