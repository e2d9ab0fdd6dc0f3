import Domain
import Storage
import Testing

@testable import Server

/// The app of the environment, whose variables are also those of the commands.
@Suite struct EnvironmentAppTests {
    private static let whole = [
        "LCFILE_APP_ID": "env", "LCFILE_APP_KEY": "12345678", "LCFILE_MASTER_KEY": "abcdefgh",
    ]

    private func app(_ id: String) throws -> AppConfiguration {
        try AppConfiguration(id: id, appKey: "12345678", masterKey: "123456789")
    }

    @Test("an id without both keys makes no app", arguments: ["LCFILE_APP_ID", "LCFILE_APP_KEY", "LCFILE_MASTER_KEY"])
    func incomplete(missing: String) throws {
        var environment = Self.whole
        environment[missing] = ""
        let variables = EnvironmentApp(environment)
        #expect(variables.app == nil)
        let warning = try #require(variables.warning(beside: [try app("file")]))
        #expect(warning.contains(" without \(missing) make no app"))
        #expect(!warning.contains("12345678") && !warning.contains("abcdefgh"))
    }

    @Test("variables of commands for a configured app need no warning")
    func configured() throws {
        let variables = EnvironmentApp(["LCFILE_APP_ID": "file", "LCFILE_MASTER_KEY": "123456789"])
        #expect(variables.app == nil)
        #expect(variables.warning(beside: [try app("file")]) == nil)
    }

    @Test("keys that only a command would read are not checked")
    func unchecked() {
        let environment = ["LCFILE_APP_ID": "a/b", "LCFILE_MASTER_KEY": "short", "LCFILE_MASTER_KEY_FILE": "/nowhere"]
        let variables = EnvironmentApp(environment)
        #expect(variables.app == nil && variables.faults.isEmpty)
    }

    @Test("a complete app replaces the others, and the warning names them")
    func complete() throws {
        let variables = EnvironmentApp(Self.whole)
        #expect(variables.app?.id.description == "env")
        #expect(variables.warning(beside: []) == nil)
        #expect(variables.warning(beside: [try app("env")]) == nil)
        let warning = try #require(variables.warning(beside: [try app("env"), try app("b"), try app("c")]))
        #expect(warning.contains("'env'") && warning.hasSuffix("not served: 'b', 'c'."))
    }

    @Test("an app that the file has too keeps its settings there, and has the keys of the environment")
    func settings() throws {
        var listed = try app("env")
        listed.fileAccess = .private
        listed.mirrorOrigin = "https://old.example.com"
        listed.keys = AppKeys(
            appKey: listed.keys.appKey,
            masterKey: listed.keys.masterKey,
            consoleReadKey: Secret("a-reader-key")
        )
        var environment = Self.whole
        let served = try #require(EnvironmentApp(environment, beside: [try app("b"), listed]).app)
        #expect(served.fileAccess == .private && served.mirrorOrigin == "https://old.example.com")
        #expect(served.keys.appKey.matches("12345678") && served.keys.masterKey.matches("abcdefgh"))
        #expect(served.keys.consoleReadKey?.matches("a-reader-key") == true)
        let other = try #require(EnvironmentApp(environment, beside: [try app("b")]).app)
        #expect(other.fileAccess == nil && other.keys.consoleReadKey == nil)
        environment["LCFILE_MASTER_KEY"] = "a-reader-key"
        let equal = EnvironmentApp(environment, beside: [listed])
        #expect(equal.app == nil)
        #expect(equal.faults == ["the consoleReadKey of app 'env' must differ from the other keys"])
    }

    @Test("without variables there is neither app nor warning")
    func none() {
        let variables = EnvironmentApp(["PATH": "/bin", "LCFILE_APP_ID": ""])
        #expect(variables.app == nil && variables.warning(beside: []) == nil)
    }
}
