internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Store servers, apps and keys under names.",
        discussion: """
            Profiles are in $XDG_CONFIG_HOME/lcfile/config.yaml, otherwise ~/.config/lcfile/config.yaml. Only its \
            owner is allowed to read the file. Options and environment variables override the profile.
            """,
        subcommands: [SetProfile.self, ListProfiles.self, ShowProfile.self, UseProfile.self, RemoveProfile.self]
    )

    /// The file of this process's environment.
    static func file() throws -> ProfileFile {
        try ProfileFile(in: ProcessInfo.processInfo.environment)
    }

    /// Runs a command's work; prints an error and ends the command with its exit code.
    static func complaining(_ body: () throws -> Void) throws {
        do { try body() } catch { try ServerOptions.end(with: error) }
    }
}

struct ListProfiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the profiles, one on each line: name, server, app id; the default profile with '*'.",
        discussion: """
            Examples:
              lcfile profile list
              lcfile profile list --json | jq -r .name
            """
    )

    @OptionGroup var printing: JSONOption

    func run() throws {
        try ProfileCommand.complaining {
            let file = try ProfileCommand.file()
            let profiles = file.profiles.sorted { $0.key < $1.key }
            guard !printing.isOn else {
                return try JSONLines.print(profiles.map { file.json(of: $0.value, named: $0.key) })
            }
            let rows = profiles.map { name, profile in
                [name == file.defaultName ? "*" : " ", name, profile.server ?? "-", profile.appID ?? "-"]
            }
            for line in Table.lines(rows) { Terminal.printLine(line) }
        }
    }
}

struct ShowProfile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a profile; of its keys only the last four characters.",
        discussion: """
            Examples:
              lcfile profile show
              lcfile profile show work
            """
    )

    @OptionGroup var printing: JSONOption

    @Argument(help: "The profile. Default: the default profile.", completion: ProfileNames.completion)
    var name: String?

    func run() throws {
        try ProfileCommand.complaining {
            let file = try ProfileCommand.file()
            guard let profile = try file.profile(named: name) else {
                throw UsageError("there is no default profile; choose one with 'lcfile profile use'")
            }
            guard !printing.isOn else {
                return try JSONLines.print([file.json(of: profile, named: name ?? file.defaultName ?? "")])
            }
            for line in Table.lines(ShowProfile.rows(profile)) { Terminal.printLine(line) }
        }
    }

    /// The members that have a value; keys are hidden except for their ends.
    static func rows(_ profile: Profile) -> [[String]] {
        Profile.members.compactMap { name, path in
            profile[keyPath: path].map { value in
                [name, ["appKey", "masterKey"].contains(name) ? hidden(value) : value]
            }
        }
    }

    /// A key as dots and its last four characters; short keys as dots only.
    private static func hidden(_ key: String) -> String {
        "••••••••" + (key.count >= 16 ? String(key.suffix(4)) : "")
    }
}

extension ProfileFile {
    /// The profile as JSON, with keys hidden as in the table.
    fileprivate func json(of profile: Profile, named name: String) -> JSON {
        let rows = ShowProfile.rows(profile).map { ($0[0], JSON.string($0[1])) }
        let facts = [("name", JSON.string(name)), ("default", JSON.bool(name == defaultName))]
        return .object(Dictionary(facts + rows) { first, _ in first })
    }
}

struct UseProfile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Make a profile the default of commands without --profile.",
        discussion: """
            Examples:
              lcfile profile use work
            """
    )

    @Argument(help: "The profile.", completion: ProfileNames.completion)
    var name: String

    func run() throws {
        try ProfileCommand.complaining {
            var file = try ProfileCommand.file()
            _ = try file.profile(named: name)
            file.defaultName = name
            try file.write()
        }
    }
}

struct RemoveProfile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile with its keys; key files stay.",
        discussion: """
            Examples:
              lcfile profile remove work
            """
    )

    @Argument(help: "The profile.", completion: ProfileNames.completion)
    var name: String

    func run() throws {
        try ProfileCommand.complaining {
            var file = try ProfileCommand.file()
            _ = try file.profile(named: name)
            file.profiles[name] = nil
            if file.defaultName == name { file.defaultName = nil }
            try file.write()
        }
    }
}
