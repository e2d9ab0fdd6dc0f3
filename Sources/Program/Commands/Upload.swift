internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct Upload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Upload files and print their URLs, one on each line.",
        discussion: "A file is on the server's disk when its URL is printed. Stops at the first refused file."
    )

    @Option(help: "The server's URL. Default: LCFILE_PUBLIC_URL, otherwise http://127.0.0.1:8080.")
    var server: String?

    @Option(help: "The app's id. Default: LCFILE_APP_ID.")
    var appID: String?

    @Option(help: "The app key. Default: LCFILE_APP_KEY.")
    var appKey: String?

    @Argument(help: "The files to upload.", completion: .file())
    var files: [String]

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let appID = appID ?? environment["LCFILE_APP_ID"], let appKey = appKey ?? environment["LCFILE_APP_KEY"]
        else {
            throw ValidationError("Set --app-id and --app-key.")
        }
        let server = server ?? ServerOptions.defaultServer(in: environment)
        let client = FileClient(server: server, appID: appID, appKey: appKey)
        for file in files {
            do {
                Terminal.printLine(try await client.upload(file).url ?? "")
            } catch {
                Terminal.printError("lcfile: \(file): \(error)")
                throw ExitCode.failure
            }
        }
    }
}
