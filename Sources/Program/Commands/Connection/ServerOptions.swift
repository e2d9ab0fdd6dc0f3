internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

/// The server and app to which a command connects, and their keys.
struct ServerOptions: ParsableArguments {
    @Option(
        help: "The profile with server and keys. Default: LCFILE_PROFILE, otherwise the file's default profile.",
        completion: ProfileNames.completion
    )
    var profile: String?

    @Option(help: "The server's URL. Default: LCFILE_SERVER, LCFILE_PUBLIC_URL, the profile, http://127.0.0.1:8080.")
    var server: String?

    @Option(help: "The app's id. Default: LCFILE_APP_ID, otherwise the profile.")
    var appID: String?

    @Option(
        help: "A file with the app key. Default: LCFILE_APP_KEY, LCFILE_APP_KEY_FILE, the profile.",
        completion: .file()
    )
    var appKeyFile: String?

    @Option(
        help: "A file with the master key. Default: LCFILE_MASTER_KEY, LCFILE_MASTER_KEY_FILE, the profile.",
        completion: .file()
    )
    var masterKeyFile: String?

    @Option(help: .hidden)
    var appKey: String?

    @Option(help: .hidden)
    var masterKey: String?

    func validate() throws {
        guard appKey == nil, masterKey == nil else {
            throw ValidationError(
                "Keys in arguments are visible to all users of the machine. Set LCFILE_APP_KEY or LCFILE_MASTER_KEY, "
                    + "use --app-key-file or --master-key-file, or store them with 'lcfile profile set'."
            )
        }
    }

    /// The key that a command needs.
    enum Key {
        /// The master key.
        case master
        /// The app key; the master key if there is no app key.
        case app
    }

    /// Runs a command's calls; prints an error to standard error and ends the command with its exit code.
    ///
    /// - Throws: `ValidationError` if no source names the app, `ExitCode` if a call fails.
    func connect(
        with key: Key = .master,
        _ options: FileClientOptions = FileClientOptions(),
        _ body: (FileClient) async throws -> Void
    ) async throws {
        do {
            try await body(try client(with: key, options))
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    /// The client for the app.
    ///
    /// - Throws: `ValidationError` if no source names the app, ``UsageError`` if a source cannot be used.
    func client(with key: Key, _ options: FileClientOptions = FileClientOptions()) throws -> FileClient {
        let environment = ProcessInfo.processInfo.environment
        let settings = try settings(in: environment)
        let client = key == .master ? nil : settings.appClient(options)
        if let client = client ?? settings.masterClient(options) { return client }
        let names = key == .master ? ("--master-key-file", "LCFILE_MASTER_KEY") : ("--app-key-file", "LCFILE_APP_KEY")
        throw ValidationError(
            "Set --app-id and \(names.0), or LCFILE_APP_ID and \(names.1), or create a profile with "
                + "'lcfile profile set'." + ServerOptions.hint(in: environment)
        )
    }

    /// Prints an error and ends the command with its exit code; errors that are printed later are thrown again.
    static func end(with error: any Error) throws -> Never {
        // A failure of standard output is printed at the end of the command.
        let isPrintedLater =
            error is ExitCode || error is ValidationError || error is CleanExit || error is UnwrittenOutput
        if isPrintedLater { throw error }
        if !(error is CancellationError) { Terminal.printError("lcfile: \(Terminal.printable("\(error)"))") }
        throw ExitCode(ExitStatus.status(of: error))
    }

    private func settings(in environment: [String: String]) throws -> ConnectionSettings {
        var options = Profile()
        options.server = server
        options.appID = appID
        options.appKeyFile = appKeyFile
        options.masterKeyFile = masterKeyFile
        let name = profile ?? environment["LCFILE_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        let chosen = try ProfileFile(in: environment).profile(named: name)
        return try ConnectionSettings(options: options, environment: environment, profile: chosen)
    }

    /// A sentence about the file with the generated app's keys; empty if the file does not exist here.
    private static func hint(in environment: [String: String]) -> String {
        let path = "\(StorageOptions.folder(in: environment))/apps.yaml"
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        return " The keys of the app that the server created are in \(path)."
    }
}
