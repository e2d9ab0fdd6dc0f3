internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a server whether all is well; exit 0 if it is, 1 if not.",
        discussion: """
            Made for health checks of containers, where no other HTTP client is installed. A full, read-only or damaged \
            storage is exit code 1 as well; with --live only a server that does not answer is. Let an orchestrator that \
            restarts servers use --live: a restart frees no disk.
            """
    )

    @Option(help: "The server's address; else this machine and LCFILE_PORT, else port 8080.")
    var server: String?

    @Flag(help: "Ask only whether the server answers, whatever the state of its storage.")
    var live = false

    func run() async throws {
        let port = ProcessInfo.processInfo.environment["LCFILE_PORT"] ?? "8080"
        let server = server ?? "http://127.0.0.1:\(port)"
        do {
            try await FileClient.checkHealth(of: server, onlyLife: live)
        } catch let error as FileClientError where error.status != 0 {
            Terminal.complain("lcfile: \(server) is not well: \(error)")
            throw ExitCode.failure
        } catch {
            Terminal.complain("lcfile: \(server) does not answer: \(error)")
            throw ExitCode.failure
        }
    }
}
