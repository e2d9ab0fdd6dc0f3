import ArgumentParser
import Testing

@testable import Commands

/// Which server `lcfile status` and `lcfile health` ask.
@Suite struct LocalServerTests {
    private static let profiles = ["default": "http://default", "work": "http://work"]

    private func choice(_ arguments: [String], _ environment: [String: String]) throws -> LocalServer.Choice {
        try LocalServer.parse(arguments).choice(in: environment) { name in
            var profile = Profile()
            guard let url = Self.profiles[name ?? "default"] else { throw UsageError("there is no profile") }
            profile.server = url
            return profile
        }
    }

    @Test(
        "options come first, then LCFILE_SERVER, a named profile, the server's own settings, the default profile",
        arguments: [
            (["--server", "http://o"], ["LCFILE_SERVER": "http://v"], "http://o", true),
            ([], ["LCFILE_SERVER": "http://v", "LCFILE_PORT": "81", "LCFILE_PROFILE": "work"], "http://v", true),
            (["--profile", "work"], ["LCFILE_SERVER": "http://v"], "http://v", true),
            (["--profile", "work"], ["LCFILE_PORT": "81"], "http://work", true),
            ([], ["LCFILE_PROFILE": "work", "LCFILE_PORT": "81"], "http://work", true),
            ([], ["LCFILE_PORT": "81", "LCFILE_SERVER": ""], "http://127.0.0.1:81", false),
            ([], ["LCFILE_TLS_CERTIFICATE": "/c"], "https://127.0.0.1:8080", false),
            ([], ["LCFILE_PUBLIC_URL": "http://p", "LCFILE_PORT": "81"], "http://127.0.0.1:81", false),
            ([], ["LCFILE_HOST": "127.0.0.2", "LCFILE_PORT": "81"], "http://127.0.0.2:81", false),
            ([], ["LCFILE_HOST": "files.internal"], "http://files.internal:8080", false),
            ([], ["LCFILE_HOST": "0.0.0.0", "LCFILE_PORT": "81"], "http://127.0.0.1:81", false),
            ([], ["LCFILE_HOST": "::", "LCFILE_PORT": "81"], "http://[::1]:81", false),
            ([], ["LCFILE_HOST": "fd00::5", "LCFILE_PORT": "81"], "http://[fd00::5]:81", false),
            ([], ["LCFILE_HOST": ""], "http://default", true),
            ([], [:], "http://default", true),
        ] as [([String], [String: String], String, Bool)]
    )
    func precedence(arguments: [String], environment: [String: String], url: String, isNamed: Bool) throws {
        #expect(try choice(arguments, environment) == LocalServer.Choice(url: url, isNamed: isNamed))
    }

    @Test("without a profile it is the usual port of this machine")
    func nothing() throws {
        let found = try LocalServer.parse([]).choice(in: ["LCFILE_PORT": ""]) { _ in nil }
        #expect(found == LocalServer.Choice(url: "http://127.0.0.1:8080", isNamed: false))
    }

    @Test("a profile that does not exist and a server that is no URL are wrong usage")
    func wrong() {
        #expect(throws: UsageError.self) { try choice(["--profile", "nowhere"], [:]) }
        #expect(throws: UsageError.self) { try choice([], ["LCFILE_SERVER": "files.example.com"]) }
    }

    @Test("--json is one option of all commands that print tables")
    func json() throws {
        #expect(try StatCommand.parse(["--json", "a"]).printing.isOn)
        #expect(try !StatCommand.parse(["a"]).printing.isOn)
        #expect(try CensorListOptions.parse(["--json"]).printing.isOn)
        #expect(try StatusCommand.parse(["--json"]).printing.isOn)
    }
}
