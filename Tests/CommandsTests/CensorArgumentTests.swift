import ArgumentParser
import Support
import Testing

@testable import Commands

@Suite struct CensorArgumentTests {
    @Test("every command of censorship has examples")
    func examples() {
        for command in CensorCommand.configuration.subcommands + CensorKnown.configuration.subcommands
        where command.configuration.subcommands.isEmpty {
            #expect(command.helpMessage().contains("Examples:"), "\(command)")
        }
    }

    @Test(
        "wrong arguments are refused, with what is right",
        arguments: [
            (["list", "--verdict", "bad"], "pending, passed, review or rejected"),
            (["list", "--from", "soon"], "--from"),
            (["list", "--limit", "0"], "--limit"), (["log", "--limit", "0"], "--limit"), (["pass"], "<id>"),
            (["run"], "--from"), (["run", "--to", "2026-01-01"], "--from"), (["run", "--from", "1"], "2026-11-21"),
            (["run", "--from", "1d", "--status"], "exclude"), (["run", "--from", "1d", "--id", "x"], "--id"),
            (["settings", "auto"], "name=value"), (["settings", "auto=true", "auto=false"], "two values"),
            (["known", "add"], "<hash>"), (["known", "add", "--kind", "md5", "x"], "md5"),
        ]
    )
    func wrong(arguments: [String], part: String) {
        let error = #expect(throws: (any Error).self) { try LCFileCommand.parseAsRoot(["censor"] + arguments) }
        #expect(error.map { LCFileCommand.fullMessage(for: $0) }?.contains(part) == true)
    }

    @Test("verdicts take several files, a note and a name")
    func verdicts() throws {
        let command = try LCFileCommand.parseAsRoot(["censor", "block", "a", "-", "--note", "n", "--by", "me"])
        let options = try #require(command as? CensorBlock).options
        #expect(options.files == ["a", "-"])
        #expect(options.note == "n")
        #expect(options.person.name == "me")
    }

    @Test("the name of the login is that of the process's user, without control characters")
    func login() {
        #expect(LoginName.current?.isEmpty != true)
    }
}
