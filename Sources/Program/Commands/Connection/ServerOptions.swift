internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

/// The server and app to which a command connects, with the master key.
struct ServerOptions: ParsableArguments {
    @Option(help: "The server's URL. Default: LCFILE_PUBLIC_URL, otherwise http://127.0.0.1:8080.")
    var server: String?

    @Option(help: "The app's id. Default: LCFILE_APP_ID.")
    var appID: String?

    @Option(help: "The app's master key. Default: LCFILE_MASTER_KEY.")
    var masterKey: String?

    /// Runs a command's calls; prints an error to standard error and ends the command with exit code 1.
    ///
    /// - Throws: `ValidationError` if no option or variable names the app, `ExitCode.failure` if a call fails.
    func connect(_ body: (FileClient) async throws -> Void) async throws {
        let client = try makeClient(in: ProcessInfo.processInfo.environment)
        do {
            try await body(client)
        } catch {
            Terminal.printError("lcfile: \(error)")
            throw ExitCode.failure
        }
    }

    /// The server of a command without `--server`.
    static func defaultServer(in environment: [String: String]) -> String {
        environment["LCFILE_PUBLIC_URL"] ?? "http://127.0.0.1:8080"
    }

    private func makeClient(in environment: [String: String]) throws -> FileClient {
        guard let appID = appID ?? environment["LCFILE_APP_ID"],
            let masterKey = masterKey ?? environment["LCFILE_MASTER_KEY"]
        else {
            throw ValidationError("Set --app-id and --master-key." + ServerOptions.hint(in: environment))
        }
        let server = server ?? ServerOptions.defaultServer(in: environment)
        return FileClient(server: server, appID: appID, appKey: "\(masterKey),master")
    }

    /// A sentence about the file with the generated app's keys; empty if the file does not exist here.
    private static func hint(in environment: [String: String]) -> String {
        let path = "\(environment["LCFILE_STORAGE"] ?? "storage")/apps.yaml"
        guard FileManager.default.fileExists(atPath: path) else { return "" }
        return " The keys of the app that the server created are in \(path)."
    }
}
