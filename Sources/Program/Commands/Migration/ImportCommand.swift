internal import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import many files, or an app of LeanCloud.",
        discussion: """
            'lcfile import SOURCE' is 'lcfile import files SOURCE'; 'lcfile import files --help' has its options.

            Examples:
              lcfile import photos/
              lcfile import --manifest files.csv --report report.html
              lcfile import leancloud export.tar.gz
              lcfile import files --help
            """,
        subcommands: [ImportFiles.self, ImportLeanCloud.self],
        defaultSubcommand: ImportFiles.self
    )
}
