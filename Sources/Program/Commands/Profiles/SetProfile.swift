internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

struct SetProfile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Create or change a profile; the first profile becomes the default.",
        discussion: """
            Values that are not named do not change. A new profile without keys asks for them on a terminal, without \
            showing them; an empty answer leaves a key out. Comments in the file are not retained.

            Examples:
              lcfile profile set work --server https://files.example.com --app-id ID
              lcfile profile set work --master-key-file ~/secrets/master-key
              printf '%s\\n' "$APP_KEY" | lcfile profile set work --app-key-stdin
            """
    )

    @Argument(help: "The profile's name.", completion: ProfileNames.completion)
    var name: String

    @Option(help: "The server's URL.")
    var server: String?

    @Option(help: "The app's id.")
    var appID: String?

    @Option(help: "A file with the app key, instead of the key itself.", completion: .file())
    var appKeyFile: String?

    @Option(help: "A file with the master key, instead of the key itself.", completion: .file())
    var masterKeyFile: String?

    @Flag(help: "Read the app key from standard input: one line, or a prompt on a terminal.")
    var appKeyStdin = false

    @Flag(help: "Read the master key from standard input, after the app key if both are read.")
    var masterKeyStdin = false

    func validate() throws {
        guard !name.isEmpty else { throw ValidationError("The profile's name is missing.") }
        guard !appKeyStdin || appKeyFile == nil, !masterKeyStdin || masterKeyFile == nil else {
            throw ValidationError("A key comes from a file or from standard input, not from both.")
        }
    }

    func run() throws {
        try ProfileCommand.complaining {
            var file = try ProfileCommand.file()
            let isNew = file.profiles[name] == nil
            var profile = file.profiles[name] ?? Profile()
            if let server { profile.server = server }
            if let appID { profile.appID = appID }
            if let appKeyFile { (profile.appKey, profile.appKeyFile) = (nil, absolute(appKeyFile)) }
            if let masterKeyFile { (profile.masterKey, profile.masterKeyFile) = (nil, absolute(masterKeyFile)) }
            let prompts = isNew && isatty(STDIN_FILENO) == 1
            if appKeyStdin || prompts && appKeyFile == nil {
                if let key = try key("App key: ", isRequired: appKeyStdin) {
                    (profile.appKey, profile.appKeyFile) = (key, nil)
                }
            }
            if masterKeyStdin || prompts && masterKeyFile == nil {
                if let key = try key("Master key: ", isRequired: masterKeyStdin) {
                    (profile.masterKey, profile.masterKeyFile) = (key, nil)
                }
            }
            guard profile != Profile() else {
                throw UsageError("the profile '\(name)' would have no value; set --server, --app-id or a key")
            }
            // Refuses what no command could use, before it is stored.
            _ = try ConnectionSettings(options: profile, environment: [:], profile: nil) { _ in "key" }
            file.profiles[name] = profile
            if file.profiles.count == 1 { file.defaultName = name }
            try file.write()
        }
    }

    private func key(_ prompt: String, isRequired: Bool) throws -> String? {
        let key = KeyInput.read(prompt) ?? ""
        guard !key.isEmpty || !isRequired else { throw UsageError("standard input has no key") }
        return key.isEmpty ? nil : key
    }

    /// The path as it is found from every folder.
    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
