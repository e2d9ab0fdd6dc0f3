internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a server; exit with 0 if it is healthy, with 1 if not.",
        discussion: """
            For health checks of containers, where no other HTTP client is installed. A full, read-only or damaged \
            storage also results in exit code 1; with --live only a server that does not answer does. Use --live for \
            an orchestrator that restarts servers: a restart does not free disk space.

            Examples:
              lcfile health
              lcfile health --live --server https://files.example.com
            """
    )

    @Option(help: "The server's URL. Default: http://127.0.0.1 with LCFILE_PORT or port 8080.")
    var server: String?

    @Flag(help: "Check only whether the server answers, not the state of its storage.")
    var live = false

    func run() async throws {
        let port = ProcessInfo.processInfo.environment["LCFILE_PORT"] ?? "8080"
        let server = server ?? "http://127.0.0.1:\(port)"
        do {
            try await FileClient.checkHealth(of: server, onlyLife: live)
        } catch let error as FileClientError where error.status != 0 {
            Terminal.printError("lcfile: \(server) is not healthy: \(error)")
            throw ExitCode.failure
        } catch {
            Terminal.printError("lcfile: \(server) does not answer: \(error)")
            throw ExitCode.failure
        }
    }
}
