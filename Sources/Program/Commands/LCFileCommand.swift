package import ArgumentParser

/// The command line of lcfile, with one subcommand in each file.
package struct LCFileCommand: AsyncParsableCommand {
    /// The name, abstract, exit codes and subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "lcfile",
        abstract: "A self-hosted server for files, images and data with LeanCloud's protocol.",
        discussion: """
            Exit codes: 0 success, 1 failure, 64 wrong usage, 65 a backup is incomplete, \
            69 the server cannot listen on an address, 73 the storage cannot be used, 78 a setting is invalid.
            """,
        subcommands: [
            Serve.self, Upload.self, Health.self, Backup.self, Restore.self, IndexCommand.self, SchemaCommand.self,
            PermissionsCommand.self,
        ]
    )

    /// Creates the command; called by ArgumentParser.
    package init() {}
}
