import FileClient
import Support
import Testing

@testable import Commands

@Suite struct ConnectionSettingsTests {
    /// The value of every source that has one is its name.
    private static func resolve(
        option: Profile = Profile(),
        environment: [String: String] = [:],
        profile: Profile? = nil
    ) throws -> ConnectionSettings {
        try ConnectionSettings(options: option, environment: environment, profile: profile) { "content-of-\($0)" }
    }

    private static func profile(_ change: (inout Profile) -> Void) -> Profile {
        var profile = Profile()
        change(&profile)
        return profile
    }

    @Test("options take precedence over the environment, and it over the profile", arguments: 0..<8)
    func precedence(sources: Int) throws {
        let (hasOption, hasVariable, hasProfile) = (sources & 1 != 0, sources & 2 != 0, sources & 4 != 0)
        let settings = try Self.resolve(
            option: Self.profile { if hasOption { ($0.server, $0.appID) = ("http://option", "option") } },
            environment: hasVariable ? ["LCFILE_SERVER": "http://variable", "LCFILE_APP_ID": "variable"] : [:],
            profile: hasProfile ? Self.profile { ($0.server, $0.appID) = ("http://profile", "profile") } : nil
        )
        let expected = hasOption ? "option" : hasVariable ? "variable" : hasProfile ? "profile" : nil
        #expect(settings.appID == expected)
        #expect(settings.server == expected.map { "http://\($0)" } ?? "http://127.0.0.1:8080")
    }

    @Test("a key and its file are one value: the source that comes first has it, whichever it has")
    func keyFiles() throws {
        let inFile = try Self.resolve(
            option: Self.profile { $0.masterKeyFile = "a" },
            environment: ["LCFILE_MASTER_KEY": "b"],
            profile: Self.profile { $0.masterKey = "c" }
        )
        #expect(inFile.masterKey == "content-of-a")
        let inVariable = try Self.resolve(
            environment: ["LCFILE_APP_KEY": "b"],
            profile: Self.profile { $0.appKeyFile = "c" }
        )
        #expect(inVariable.appKey == "b")
        let inProfile = try Self.resolve(profile: Self.profile { $0.appKeyFile = "c" })
        #expect(inProfile.appKey == "content-of-c")
        #expect(inProfile.masterKey == nil)
    }

    @Test("empty variables count as missing, and the server's own setting names the server")
    func variables() throws {
        #expect(try Self.resolve(environment: ["LCFILE_APP_ID": ""]).appID == nil)
        #expect(try Self.resolve(environment: ["LCFILE_PUBLIC_URL": "http://p"]).server == "http://p")
        let both = ["LCFILE_PUBLIC_URL": "http://p", "LCFILE_SERVER": "http://s"]
        #expect(try Self.resolve(environment: both).server == "http://s")
    }

    @Test(
        "what no request can have is refused",
        arguments: [
            ["LCFILE_SERVER": "files.example.com"], ["LCFILE_SERVER": "ftp://x"], ["LCFILE_APP_ID": "a b"],
            ["LCFILE_APP_KEY": "a\nX-Evil: 1"], ["LCFILE_MASTER_KEY": "schlüssel"],
        ]
    )
    func malformed(environment: [String: String]) {
        let error = #expect(throws: UsageError.self) { try Self.resolve(environment: environment) }
        for value in environment.values { #expect(error?.description.contains(value) == false || value.contains("x")) }
    }

    @Test("the app key is used unless there is only a master key")
    func clients() throws {
        let settings = try Self.resolve(environment: ["LCFILE_APP_ID": "a", "LCFILE_MASTER_KEY": "m"])
        #expect(settings.appClient(FileClientOptions()) == nil)
        #expect(settings.masterClient(FileClientOptions())?.appID == "a")
    }
}
