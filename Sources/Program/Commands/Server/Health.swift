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

    @Option(
        help: """
            The server's URL. Default: http://127.0.0.1 with LCFILE_PORT or port 8080; https with \
            LCFILE_TLS_CERTIFICATE, whose name is not checked then.
            """
    )
    var server: String?

    @Flag(help: "Check only whether the server answers, not the state of its storage.")
    var live = false

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let scheme = environment["LCFILE_TLS_CERTIFICATE"].map { $0.isEmpty } ?? true ? "http" : "https"
        let server = self.server ?? "\(scheme)://127.0.0.1:\(environment["LCFILE_PORT"] ?? "8080")"
        do {
            try await FileClient.checkHealth(of: server, onlyLife: live, verifiesCertificate: self.server != nil)
        } catch let error as FileClientError where error.status != 0 {
            Terminal.printError("lcfile: \(server) is not healthy: \(error)")
            throw ExitCode.failure
        } catch {
            Terminal.printError("lcfile: \(server) does not answer: \(error)")
            throw ExitCode.failure
        }
    }
}
