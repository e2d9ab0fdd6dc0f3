internal import Configuration
internal import Domain
internal import Storage

/// Loads the settings; flags take precedence over the environment, the file and the defaults, in this order.
package struct ConfigurationLoader: Sendable {
    private let flags: [String: String]
    private let environment: [String: String]
    private let file: String?

    /// - Parameters:
    ///   - flags: Settings from the command line, by their dotted names.
    ///   - environment: The process's environment; only `LCFILE_…` and `CREDENTIALS_DIRECTORY` are read.
    ///   - file: The path of the configuration file; `nil` for no file.
    package init(flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// Reads and checks every setting.
    ///
    /// - Throws: ``ExitError`` with the name, the value and what is allowed of each faulty setting; unknown names are
    ///   refused too.
    package func load() throws -> ServerConfiguration {
        let credentials = CredentialFolder(environment: environment)
        let file = try file.map { try ConfigurationFile(path: $0, credentials: credentials) }
        let providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", texts: flags),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "lcfile"),
            InMemoryProvider(name: "file", texts: file?.settings ?? [:]),
        ]
        var reader = SettingReader(providers: providers, credentials: credentials)
        var configuration = ServerConfiguration()
        configuration.read(&reader)
        configuration.changes = reader.changes
        let keys = (file?.apps ?? []).flatMap { ["\($0.id).appKey", "\($0.id).masterKey"] }
        let faults =
            unknownNames(file?.settings.keys.sorted() ?? [], known: reader.names)
            + unknownCredentials(credentials, known: reader.secrets + keys) + reader.faults
        if let first = faults.first {
            let all = faults.count == 1 ? first : faults.map { "\n  \($0)" }.joined()
            throw ExitError.configuration(faults.count == 1 ? all : "\(faults.count) settings cannot be used:\(all)")
        }
        let variables = try EnvironmentApp(environment)
        configuration.apps = variables.app.map { [$0] } ?? file?.apps ?? []
        configuration.warnings += [variables.warning(beside: file?.apps ?? [])].compactMap(\.self)
        try configuration.validate()
        return configuration
    }

    /// The environment variable of a setting: `LCFILE_UPLOADS_MAX_SIZE` for `uploads.maxSize`.
    package static func environmentVariable(of name: String) -> String {
        var variable = "LCFILE_"
        var previous: Character = "."
        for character in name {
            if character == "." {
                variable.append("_")
            } else {
                if character.isUppercase, !previous.isUppercase, previous != "." { variable.append("_") }
                variable.append(character.uppercased())
            }
            previous = character
        }
        return variable
    }

    /// Variables of the commands that connect to a server, and of the build; the server does not read them.
    private static let otherVariables: Set = ["LCFILE_PROFILE", "LCFILE_SERVER", "LCFILE_WARNINGS", "LCFILE_COMMIT"]

    /// A sentence for each name of the file, and each variable of the environment, that is no setting.
    private func unknownNames(_ names: [String], known: [String]) -> [String] {
        let variables = known.map(ConfigurationLoader.environmentVariable) + EnvironmentApp.variables
        let others = ConfigurationLoader.otherVariables
        let mine = environment.keys.filter { $0.hasPrefix("LCFILE_") && !others.contains($0) }.sorted()
        return names.filter { !known.contains($0) }.map { name in
            "unknown setting '\(name)' in \(file ?? "the file"); " + hint(known.nearest(to: name))
        }
            + mine.filter { !variables.contains($0) }.map { name in
                "unknown environment variable \(name); " + hint(variables.nearest(to: name))
            }
    }

    /// A sentence for each credential that no setting and no app of the file has.
    private func unknownCredentials(_ credentials: CredentialFolder, known: [String]) -> [String] {
        let known = known.map { CredentialFolder.prefix + $0 }
        return credentials.names.filter { !known.contains($0) }.map { name in
            "the credential \(name) is not that of a setting or an app; " + hint(known.nearest(to: name))
        }
    }

    private func hint(_ name: String?) -> String {
        name.map { "did you mean \($0)?" } ?? "docs/configuration.md lists all"
    }
}

extension InMemoryProvider {
    /// A provider of strings by dotted names.
    fileprivate init(name: String, texts: [String: String]) {
        let values = texts.map { (AbsoluteConfigKey(ConfigKey($0)), ConfigValue(.string($1), isSecret: false)) }
        self.init(name: name, values: Dictionary(uniqueKeysWithValues: values))
    }
}
