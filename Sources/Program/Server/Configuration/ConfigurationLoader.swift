internal import Configuration
internal import Domain
internal import Storage

/// Loads the settings; flags take precedence over the environment, the file and the defaults, in this order.
package struct ConfigurationLoader: Sendable {
    private let flags: [String: String]
    private let environment: [String: String]
    private let file: String?

    /// For what settings are loaded.
    package enum Purpose: Sendable {
        /// For a server that starts.
        case serving
        /// For a command that uses a storage with its database and bucket.
        case storage
    }

    /// - Parameters:
    ///   - flags: Settings from the command line, by their dotted names; none of them is empty.
    ///   - environment: The process's environment; only `LCFILE_…`, `CREDENTIALS_DIRECTORY` and
    ///     `AWS_…` for S3 stores are read, and empty ones count as not set.
    ///   - file: The path of the configuration file; `nil` for no file.
    package init(flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// Reads and checks every setting.
    ///
    /// - Parameter purpose: For what they are used.
    /// - Returns: The settings.
    /// - Throws: ``ExitError`` with everything that is wrong: the name, the value and what is allowed of each faulty
    ///   setting, unknown names, apps that cannot be used, and settings that do not fit together.
    package func load(for purpose: Purpose = .serving) throws -> ServerConfiguration {
        let credentials = try CredentialFolder(environment: environment)
        var file: ConfigurationFile?
        var faults: [String] = []
        do {
            file = try self.file.map { try ConfigurationFile(path: $0, credentials: credentials) }
        } catch {
            faults.append("\(error)")
        }
        // What depends on the settings and apps of a file without them would be wrong.
        let isComplete = faults.isEmpty
        var reader = SettingReader(providers: providers(file), credentials: credentials)
        var configuration = ServerConfiguration()
        configuration.read(&reader)
        configuration.s3.complete(from: environment)
        configuration.blobs.s3.complete(from: environment)
        configuration.changes = reader.changes
        configuration.settingsInForce = reader.inForce
        let apps = file?.apps ?? []
        let variables = EnvironmentApp(environment, beside: apps)
        configuration.apps = variables.app.map { [$0] } ?? apps
        configuration.warnings += [variables.warning(beside: apps)].compactMap(\.self)

        faults += unknownNames(file?.settings.keys.sorted() ?? [], known: reader.names)
        if isComplete {
            let keys = (file?.appIDs ?? []).flatMap { id in AppEntry.keyNames.map { "\(id).\($0)" } }
            faults += unknownCredentials(credentials, known: reader.secrets + keys)
        }
        faults += reader.faults + (file?.faults ?? []) + variables.faults
        if isComplete {
            let appCount = variables.isComplete ? 1 : file?.appIDs.count ?? 0
            var conflicts = configuration.conflicts(appCount: appCount)
            if purpose == .serving { conflicts += configuration.servingConflicts(appCount: appCount) }
            faults += conflicts.filter { !$0.depends(on: reader.faultyNames) }.map(\.sentence)
        }
        guard faults.isEmpty else { throw ExitError.settings(faults) }
        return configuration
    }

    /// The format of the log, also if other settings cannot be used; the default if it cannot be read itself.
    package var logFormat: LogFormat {
        var configuration = ServerConfiguration()
        var reader = SettingReader(providers: providers(try? file.map { try ConfigurationFile(path: $0) }))
        configuration.read(&reader)
        return configuration.logFormat
    }

    /// The sources of values, by precedence.
    private func providers(_ file: ConfigurationFile?) -> [any ConfigProvider] {
        // An empty variable must not hide the value of the file: Compose and scripts set empty ones for unset ones.
        let variables = environment.filter { !$0.value.isEmpty }
        return [
            InMemoryProvider(name: "flags", texts: flags),
            EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "lcfile"),
            InMemoryProvider(name: "file", texts: file?.settings ?? [:]),
        ]
    }

    /// The environment variable of a setting: `LCFILE_UPLOADS_MAX_SIZE` for `uploads.maxSize`.
    package static func environmentVariable(of name: String) -> String {
        var variable = prefix
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

    /// What the names of all variables begin with.
    private static let prefix = "LCFILE_"

    /// Variables of the commands that connect to a server, and of the build; the server does not read them.
    private static let otherVariables: Set = ["LCFILE_PROFILE", "LCFILE_SERVER", "LCFILE_WARNINGS", "LCFILE_COMMIT"]

    /// A sentence for each name of the file, and each variable of the environment, that is no setting.
    private func unknownNames(_ names: [String], known: [String]) -> [String] {
        let variables = known.map(ConfigurationLoader.environmentVariable) + EnvironmentApp.variables
        let others = ConfigurationLoader.otherVariables
        let mine = environment.keys.filter { $0.hasPrefix(ConfigurationLoader.prefix) && !others.contains($0) }.sorted()
        return names.filter { !known.contains($0) }.map { name in
            group(name, in: known, ".").map { "'\(name)' in \(file ?? "the file") \($0)" }
                ?? "unknown setting '\(name)' in \(file ?? "the file"); " + hint(known.nearest(to: name))
        }
            + mine.filter { !variables.contains($0) }.map { name in
                group(name, in: variables, "_").map { "the environment variable \(name) \($0)" }
                    ?? "unknown environment variable \(name); "
                    + hint(variables.nearest(to: name, behind: ConfigurationLoader.prefix))
            }
    }

    /// The end of a sentence about the name of a group of settings; `nil` for other names.
    private func group(_ name: String, in known: [String], _ separator: String) -> String? {
        let members = known.filter { $0.hasPrefix(name + separator) }
        guard !members.isEmpty else { return nil }
        return "is a group of settings and has no value; it has \(members.prefix(2).joined(separator: ", "))"
            + (members.count > 2 ? " and others" : "")
    }

    /// A sentence for each credential that no setting and no app of the file has.
    private func unknownCredentials(_ credentials: CredentialFolder, known: [String]) -> [String] {
        let known = known.map { CredentialFolder.prefix + $0 }
        return credentials.names.filter { !known.contains($0) }.map { name in
            "the credential \(name) is not that of a setting or an app; "
                + hint(known.nearest(to: name, behind: CredentialFolder.prefix))
        }
    }

    private func hint(_ name: String?) -> String {
        name.map { "did you mean \($0)?" } ?? "docs/configuration.md lists all"
    }
}

extension InMemoryProvider {
    /// A provider of strings by dotted names, which have no empty parts.
    fileprivate init(name: String, texts: [String: String]) {
        let values = texts.map { (AbsoluteConfigKey(ConfigKey($0)), ConfigValue(.string($1), isSecret: false)) }
        self.init(name: name, values: Dictionary(uniqueKeysWithValues: values))
    }
}
