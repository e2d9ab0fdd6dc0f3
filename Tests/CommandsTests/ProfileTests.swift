import FoundationEssentials
import Glibc
import Support
import Testing

@testable import Commands

@Suite final class ProfileTests {
    private let folder = "/tmp/lcfile-profiles-\(UUID().uuidString)"
    private var path: String { "\(folder)/lcfile/config.yaml" }
    private var environment: [String: String] { ["XDG_CONFIG_HOME": folder, "HOME": "/home/someone"] }

    init() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/lcfile", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(chmod(path, mode) == 0)
    }

    @Test("a file is read with its default, keys and relative key files")
    func read() throws {
        try write(
            """
            default: main
            profiles:
              main: {server: "https://a", appId: i, appKey: k}
              other:
                masterKeyFile: ~/key
                appKeyFile: keys/app
            """
        )
        let file = try ProfileFile(in: environment)
        #expect(try file.profile(named: nil)?.appKey == "k")
        #expect(try file.profile(named: "other")?.masterKeyFile == "/home/someone/key")
        #expect(try file.profile(named: "other")?.appKeyFile == "\(folder)/lcfile/keys/app")
    }

    @Test(
        "a file that others are able to read or change is refused",
        arguments: [0o644, 0o640, 0o604, 0o620, 0o610, 0o666]
    )
    func modes(mode: mode_t) throws {
        try write("profiles: {}", mode: mode)
        let environment = environment
        let error = #expect(throws: UsageError.self) { try ProfileFile(in: environment) }
        #expect(error?.description.contains("mode \(String(mode, radix: 8))") == true)
        #expect(error?.description.contains("chmod 600 '\(path)'") == true)
    }

    @Test("a file of the owner alone is read", arguments: [0o600, 0o400, 0o700])
    func ownModes(mode: mode_t) throws {
        try write("profiles: {}", mode: mode)
        #expect(try ProfileFile(in: environment).profiles.isEmpty)
    }

    @Test("no file, no home and an empty file have no profiles")
    func missing() throws {
        #expect(try ProfileFile(in: environment).profile(named: nil) == nil)
        #expect(try ProfileFile(in: [:]).path == nil)
        try write("")
        #expect(try ProfileFile(in: environment).profiles.isEmpty)
    }

    @Test(
        "malformed files are refused, and the message names what is wrong",
        arguments: [
            ("profiles: [", "config.yaml"), ("profile: {}", "'profile'"), ("profiles: x", "profiles"),
            ("profiles: {a: {servr: x}}", "'servr'"), ("profiles: {a: {server: [1]}}", "server"),
            ("default: ''", "default"),
        ]
    )
    func malformed(text: String, word: String) throws {
        try write(text)
        let environment = environment
        let error = #expect(throws: UsageError.self) { try ProfileFile(in: environment) }
        #expect(error?.description.contains(word) == true)
    }

    @Test(
        "a message about YAML that cannot be parsed repeats no key",
        arguments: [
            ("profiles:\n  a: {masterKey: a-secret-key: b}", "line 2"),
            ("profiles:\n  a: {masterKey: a-secret-key}\n  a: {}", "line 2: 'a' occurs more than once"),
        ]
    )
    func malformedKeys(text: String, location: String) throws {
        try write(text)
        let environment = environment
        let error = #expect(throws: UsageError.self) { try ProfileFile(in: environment) }
        let message = try #require(error?.description)
        #expect(message.hasPrefix("\(path) is not valid YAML: \(location)"))
        #expect(!message.contains("secret"))
    }

    @Test("a profile that does not exist is refused, and the message lists the others")
    func unknown() throws {
        try write("profiles: {a: {appId: i}, b: {appId: j}}")
        let file = try ProfileFile(in: environment)
        let error = #expect(throws: UsageError.self) { try file.profile(named: "c") }
        #expect(error?.description.contains("'c'") == true)
        #expect(error?.description.contains("a, b") == true)
    }

    @Test("what is written is read again, with mode 0600 in a folder with mode 0700")
    func write() throws {
        try FileManager.default.removeItem(atPath: "\(folder)/lcfile")
        var file = try ProfileFile(in: environment)
        var profile = Profile()
        profile.server = "https://files.example.com/\"quoted\" # no comment"
        profile.appKey = "yes"
        profile.masterKeyFile = "/keys/master: key"
        file.profiles = ["家": profile, "empty": Profile(), "null": profile]
        file.defaultName = "家"
        try file.write()
        #expect(try ProfileFile(in: environment) == file)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat("\(folder)/lcfile", &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test("relative folders of the environment are ignored")
    func folders() {
        let environment = ["XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "/state", "HOME": "/home/a"]
        #expect(UserFolder.config(in: environment) == "/home/a/.config/lcfile")
        #expect(UserFolder.state(in: environment) == "/state/lcfile")
        #expect(UserFolder.state(in: ["HOME": "/home/a"]) == "/home/a/.local/state/lcfile")
    }

    @Test("keys are shown with their last characters only, short ones not at all")
    func hidden() {
        var profile = Profile()
        profile.appID = "id"
        profile.appKey = "0123456789abcdef"
        profile.masterKey = "short"
        #expect(
            ShowProfile.rows(profile) == [["appId", "id"], ["appKey", "••••••••cdef"], ["masterKey", "••••••••"]]
        )
    }
}
