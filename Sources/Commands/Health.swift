internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a server whether it answers; exit 0 if it does, 1 if not.",
        discussion: "Made for health checks of containers, where no other HTTP client is installed."
    )

    @Option(help: "The server's address; else this machine and LCFILE_PORT, else port 8080.")
    var server: String?

    func run() async throws {
        let port = ProcessInfo.processInfo.environment["LCFILE_PORT"] ?? "8080"
        let server = server ?? "http://127.0.0.1:\(port)"
        do {
            try await FileClient.checkHealth(of: server)
        } catch {
            Terminal.complain("lcfile: \(server) does not answer: \(error)")
            throw ExitCode.failure
        }
    }
}
