internal import Domain
internal import Storage

/// The variables of the environment that can have one app of the server.
///
/// Commands that connect to a server read the same variables, often the id and one key only. So an incomplete set is
/// not an app and not a fault: the server ignores it with a warning.
struct EnvironmentApp {
    /// The names of all variables.
    static let variables = [
        "LCFILE_APP_ID", "LCFILE_APP_KEY", "LCFILE_APP_KEY_FILE", "LCFILE_MASTER_KEY", "LCFILE_MASTER_KEY_FILE",
    ]

    /// The app, with the settings that the file has for it; `nil` if its id or one of its keys is not set, or wrong.
    let app: AppConfiguration?
    /// A sentence for everything that is wrong with a complete app: its id, its keys, two sources of one key.
    let faults: [String]
    private let id: String?
    private let given: [String]
    private let missing: [String]

    /// Reads the variables, and the files that they name; empty ones count as not set.
    ///
    /// An app that the file has too keeps its other settings. Commands read the same variables, so operators set them
    /// for an app of the file, whose private files must not become public.
    ///
    /// - Parameters:
    ///   - environment: The process's environment.
    ///   - apps: The apps of the configuration file.
    init(_ environment: [String: String], beside apps: [AppConfiguration] = []) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func sources(_ name: String) -> SecretSources {
            SecretSources(names: (name, "\(name)_FILE"), value: value(name), path: value("\(name)_FILE"))
        }
        let keys = ["LCFILE_APP_KEY", "LCFILE_MASTER_KEY"].map { (name: $0, sources: sources($0)) }
        id = value("LCFILE_APP_ID")
        given = EnvironmentApp.variables.filter { value($0) != nil }
        missing =
            (id == nil ? ["LCFILE_APP_ID"] : [])
            + keys.filter { $0.sources.value == nil && $0.sources.path == nil }.map(\.name)
        guard let id, missing.isEmpty else {
            app = nil
            faults = []
            return
        }
        var faults: [String] = []
        let texts = keys.map { key -> String? in
            do {
                return try key.sources.read() ?? ""
            } catch {
                faults.append("\(error)")
                return nil
            }
        }
        let known = apps.first { $0.id.description == id }
        var app = AppConfiguration(
            id: id,
            appKey: texts[0],
            masterKey: texts[1],
            consoleReadKey: known?.keys.consoleReadKey?.revealed ?? "",
            fileDomains: [],
            noting: &faults
        )
        if var known, let keys = app?.keys {
            known.keys = keys
            app = known
        }
        self.app = app
        self.faults = faults
    }

    /// Whether the variables are those of an app, which can be wrong.
    var isComplete: Bool { id != nil && missing.isEmpty }

    /// What the operator must know if the variables do not do what they seem to do; `nil` otherwise.
    ///
    /// - Parameter apps: The apps of the configuration file.
    /// - Returns: Sentences for the log and the greeting.
    func warning(beside apps: [AppConfiguration]) -> String? {
        if let app {
            let replaced = apps.filter { $0.id != app.id }.map { "'\($0.id)'" }
            guard !replaced.isEmpty else { return nil }
            return "The app '\(app.id)' of LCFILE_APP_ID replaces the apps of the configuration file; not served: "
                + "\(replaced.joined(separator: ", "))."
        }
        guard !given.isEmpty, !apps.contains(where: { $0.id.description == id }) else { return nil }
        return "\(given.joined(separator: " and ")) without \(missing.joined(separator: " and ")) make no app: only "
            + "commands such as 'lcfile ls' use them. To serve an app of the environment, set its id and both keys."
    }
}
