internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct Upload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Store files on a server and print their addresses, one a line.",
        discussion: "Each file is on the server's disk when its line is printed. Stops at the first that is refused."
    )

    @Option(help: "The server's address; else LCFILE_PUBLIC_URL, else http://127.0.0.1:8080.")
    var server: String?

    @Option(help: "The app's id; else LCFILE_APP_ID.")
    var appID: String?

    @Option(help: "The app's key; else LCFILE_APP_KEY.")
    var appKey: String?

    @Argument(help: "The files to store.", completion: .file())
    var files: [String]

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let appID = appID ?? environment["LCFILE_APP_ID"], let appKey = appKey ?? environment["LCFILE_APP_KEY"]
        else {
            throw ValidationError("Name the app with --app-id and --app-key.")
        }
        let server = server ?? ServerOptions.defaultServer(in: environment)
        let client = FileClient(server: server, appID: appID, appKey: appKey)
        for file in files {
            do {
                Terminal.say(try await client.upload(file).url)
            } catch {
                Terminal.complain("lcfile: \(file): \(error)")
                throw ExitCode.failure
            }
        }
    }
}
