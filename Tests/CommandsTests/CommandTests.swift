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

    @Test("the help tells the exit codes")
    func help() {
        let help = LCFileCommand.helpMessage()
        for word in ["serve", "upload", "health", "64", "65", "69", "73", "78"] { #expect(help.contains(word)) }
    }
}
