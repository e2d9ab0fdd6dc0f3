import ArgumentParser
import Support
import Testing

@testable import Commands

@Suite struct CommandTests {
    @Test("serve takes its four settings")
    func serve() throws {
        let arguments = ["serve", "--config", "c.yaml", "--storage", "s", "--host", "h", "--port", "1"]
        let command = try #require(try LCFileCommand.parseAsRoot(arguments) as? Serve)
        #expect(command.config == "c.yaml")
        #expect(command.storage == "s")
        #expect(command.host == "h")
        #expect(command.port == "1")
    }

    @Test(
        "an empty flag of serve is wrong usage, because another value would be used in its place",
        arguments: ["--config", "--storage", "--host", "--port", "--metrics-port"]
    )
    func emptyFlag(flag: String) {
        let error = #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(["serve", flag, ""]) }
        let message = error.map { LCFileCommand.fullMessage(for: $0) } ?? ""
        #expect(message.contains("\(flag) must not be empty."))
    }

    @Test("upload wants files and an app", arguments: [["upload"], ["upload", "--nope", "x"], ["nosuch"]])
    func wrongUsage(arguments: [String]) {
        #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(arguments) }
    }

    @Test("keys are refused as arguments, which others can see", arguments: ["--app-key", "--master-key"])
    func keys(option: String) {
        let error = #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(["ls", option, "secret"]) }
        let message = error.map { LCFileCommand.fullMessage(for: $0) } ?? ""
        #expect(message.contains("Keys in arguments are visible"))
        #expect(!message.contains("secret"))
    }

    @Test("every command has a help with its options, and those of files and profiles have examples")
    func examples() {
        for command in [
            UploadCommand.self, GetCommand.self, ListCommand.self, StatCommand.self, URLCommand.self,
            ThumbnailCommand.self, SetProfile.self, ListProfiles.self, ShowProfile.self, UseProfile.self,
            RemoveProfile.self,
        ] as [any ParsableCommand.Type] {
            #expect(command.helpMessage().contains("Examples:"), "\(command)")
        }
    }

    @Test("the help breaks no line of an example: none has more than 78 columns")
    func widthsOfExamples() {
        for command in commands(from: LCFileCommand.self) {
            for line in command.configuration.discussion.split(separator: "\n") where line.hasPrefix(" ") {
                #expect(Columns.count(line) <= 78, "\(command): \(line)")
            }
        }
    }

    /// A command and all below it.
    private func commands(from command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap { commands(from: $0) }
    }

    @Test(
        "a misspelt command is answered with the one that was meant",
        arguments: [
            (["uplod", "x"], "Did you mean 'lcfile upload'?"), (["shcema"], "Did you mean 'lcfile schema'?"),
            (["schema", "shwo"], "Did you mean 'lcfile schema show'?"), (["Stat"], "Did you mean 'lcfile stat'?"),
            (["l"], nil), (["frobnicate"], nil), (["upload", "--nope"], nil), ([], nil),
            (["--hlep"], "Did you mean 'lcfile --help'?"), (["--verson"], "Did you mean 'lcfile --version'?"),
        ] as [([String], String?)]
    )
    func suggestion(arguments: [String], sentence: String?) {
        #expect(CommandSuggestion.sentence(for: arguments, of: LCFileCommand.self) == sentence)
    }

    @Test("wrong usage shows the usage of the command that found it, also after its arguments are parsed")
    func usage() {
        let commands =
            [
                ("ls", ListCommand.self), ("schema show", SchemaCommand.Show.self),
                ("import leancloud", ImportLeanCloud.self),
            ] as [(String, any ParsableCommand.Type)]
        for (name, command) in commands {
            let lines = LCFileCommand.message(for: ValidationError("Set it."), of: command).split(separator: "\n")
            #expect(lines.first == "Error: Set it.")
            #expect(lines.dropFirst().first?.hasPrefix("Usage: lcfile \(name) ") == true, "\(lines)")
            #expect(lines.last == "  See 'lcfile \(name) --help' for more information.")
        }
    }

    @Test("a misspelt option is answered with the one that was meant, and with the usage of its command")
    func misspeltOption() {
        let error = #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(["ls", "--lmit", "1"]) }
        let message = error.map { LCFileCommand.message(for: $0, of: nil) } ?? ""
        #expect(message.contains("Unknown option '--lmit'. Did you mean '--limit'?"))
        #expect(message.contains("Usage: lcfile ls "))
    }

    @Test("the completion of each shell has commands, options and values", arguments: CompletionsCommand.Shell.allCases)
    func completions(shell: CompletionsCommand.Shell) {
        let script = LCFileCommand.completionScript(for: shell.script)
        for word in ["thumbnail", "permissions", "metrics-port", "webp", "add_fields", "sha256", "rejected", "zsh"] {
            #expect(script.contains(word), "\(word)")
        }
    }

    @Test("the help tells the exit codes")
    func help() {
        let help = LCFileCommand.helpMessage()
        for word in ["serve", "upload", "profile", "2 wrong", "3 the server", "65", "69", "73", "78"] {
            #expect(help.contains(word))
        }
    }
}
