package import ArgumentParser
internal import Glibc
internal import Server

/// The command line of lcfile, with one subcommand in each file.
package struct LCFileCommand: AsyncParsableCommand {
    /// The name, abstract, exit codes and subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "lcfile",
        abstract: "A self-hosted server for files, images and data with LeanCloud's protocol, and its client.",
        discussion: """
            Commands that connect to a server find it by --server, LCFILE_SERVER or a profile ('lcfile profile set'). \
            Keys are never arguments: they come from a profile, a file or the environment.

            Exit codes: 0 success, 1 something failed, 2 wrong usage, 3 the server cannot be reached, refuses the \
            credentials or fails, 130 interrupted. Of 'serve', 'backup', 'restore', 'check' and 'migrate' also: 65 a backup is \
            incomplete or a check found damage, 69 the server cannot listen on an address, 73 the storage cannot be used, 78 a setting is \
            invalid.

            Examples:
              lcfile serve
              lcfile profile set default --server https://files.example.com --app-id ID
              lcfile upload photo.jpg
              lcfile ls --where '{"mime_type":"image/png"}'
              lcfile import photos/
            """,
        version: ProgramVersion.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Files",
                subcommands: [
                    UploadCommand.self, GetCommand.self, ListCommand.self, StatCommand.self, URLCommand.self,
                    ThumbnailCommand.self,
                ]
            ),
            CommandGroup(
                name: "Many files",
                subcommands: [
                    ImportCommand.self, ExportCommand.self, DeleteCommand.self, CollectCommand.self, TrashCommand.self,
                ]
            ),
            CommandGroup(
                name: "Data",
                subcommands: [
                    QueryCommand.self, SchemaCommand.self, IndexCommand.self, PermissionsCommand.self,
                    MirrorCommand.self,
                ]
            ),
            CommandGroup(name: "Censorship", subcommands: [CensorCommand.self]),
            CommandGroup(name: "Mails and SMS", subcommands: [MailCommand.self, SMSCommand.self]),
            CommandGroup(
                name: "Server",
                subcommands: [
                    Serve.self, StatusCommand.self, Health.self, DoctorCommand.self, VersionCommand.self, Backup.self,
                    Restore.self, Check.self, MigrateCommand.self, ConsoleCommand.self,
                ]
            ),
            CommandGroup(name: "Client", subcommands: [ProfileCommand.self, CompletionsCommand.self]),
        ]
    )

    /// Creates the command; called by ArgumentParser.
    package init() {}

    /// Runs the command that the arguments name and ends the process with its exit code.
    ///
    /// - Parameter arguments: The arguments of the process, without its name.
    package static func run(_ arguments: [String]) async -> Never {
        // The command whose usage an error shows that it throws after its arguments are parsed.
        var running: (any ParsableCommand.Type)?
        do {
            var command = try await asyncParseAsRoot(arguments)
            running = type(of: command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try ResultOutput.standard.requireWritten()
            Glibc.exit(0)
        } catch {
            if let failure = ResultOutput.standard.failure {
                Terminal.printError("lcfile: \(failure)")
                // A command that stops because its results are lost ends as after Ctrl-C.
                let code = exitCode(for: error).rawValue
                Glibc.exit(code == ExitStatus.interrupted ? ExitStatus.failure : code)
            }
            // ArgumentParser ends with 64 (sysexits.h); scripts expect 2, as from most commands.
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            Terminal.printError(message(for: error, of: running))
            if let suggestion = CommandSuggestion.sentence(for: arguments, of: self) { Terminal.printError(suggestion) }
            Glibc.exit(ExitStatus.usage)
        }
    }

    /// The message for wrong usage, with the usage of the command that found it.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - command: The command that threw it while it ran; `nil` for an error of the parser, which knows its command.
    /// - Returns: Several lines.
    static func message(for error: any Error, of command: (any ParsableCommand.Type)?) -> String {
        guard let command, let error = error as? ValidationError else { return fullMessage(for: error) }
        // "Usage: lcfile ls [options]"; the names are the words before the first option or argument.
        let usage = usageString(for: command)
        let names = usage.split(separator: " ").prefix { !"<[-".contains($0.first ?? "<") }.joined(separator: " ")
        return "Error: \(error.message)\nUsage: \(usage)\n  See '\(names) --help' for more information."
    }
}
