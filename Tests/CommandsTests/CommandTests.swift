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

    @Test(
        "a misspelt command is answered with the one that was meant",
        arguments: [
            (["uplod", "x"], "Did you mean 'lcfile upload'?"), (["shcema"], "Did you mean 'lcfile schema'?"),
            (["schema", "shwo"], "Did you mean 'lcfile schema show'?"), (["Stat"], "Did you mean 'lcfile stat'?"),
            (["l"], nil), (["frobnicate"], nil), (["upload", "--nope"], nil), ([], nil), (["--hlep"], nil),
        ] as [([String], String?)]
    )
    func suggestion(arguments: [String], sentence: String?) {
        #expect(CommandSuggestion.sentence(for: arguments, of: LCFileCommand.self) == sentence)
    }

    @Test("the help tells the exit codes")
    func help() {
        let help = LCFileCommand.helpMessage()
        for word in ["serve", "upload", "profile", "2 wrong", "3 the server", "65", "69", "73", "78"] {
            #expect(help.contains(word))
        }
    }
}
