internal import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import many files: folders, lists, manifests.",
        discussion: """
            Examples:
              lcfile import photos/
              lcfile import --manifest files.csv --report report.html
              lcfile import files --help
            """,
        subcommands: [ImportFiles.self],
        defaultSubcommand: ImportFiles.self
    )
}
