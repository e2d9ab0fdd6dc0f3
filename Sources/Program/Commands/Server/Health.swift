internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a server; exit with 0 if it is healthy, with 1 if not.",
        discussion: """
            For health checks of containers, where no other HTTP client is installed. A server is healthy if its \
            storage has no fault (/health) and it can do all of its work (/ready): a full, read-only or damaged \
            storage, a database that does not answer and a full queue result in exit code 1. With --ready only /ready \
            counts; use it for a load balancer. With --live only a server that does not answer results in exit code \
            1; use it for an orchestrator that restarts servers: a restart does not free disk space.

            Examples:
              lcfile health
              lcfile health --ready
              lcfile health --live --server https://files.example.com
            """
    )

    @OptionGroup
    var local: LocalServer

    @Flag(help: "Check only whether the server answers.")
    var live = false

    @Flag(help: "Check only whether the server can do all of its work.")
    var ready = false

    func validate() throws {
        if live, ready { throw ValidationError("--live and --ready exclude each other; --live checks less.") }
    }

    func run() async throws {
        let choice: LocalServer.Choice
        do {
            choice = try local.choice(in: ProcessInfo.processInfo.environment)
        } catch {
            try ServerOptions.end(with: error)
        }
        let (server, isNamed) = (choice.url, choice.isNamed)
        do {
            if !ready { try await FileClient.checkHealth(of: server, onlyLife: live, verifiesCertificate: isNamed) }
            if !live { try await FileClient.checkReadiness(of: server, verifiesCertificate: isNamed) }
        } catch let error as FileClientError where error.status != 0 {
            Terminal.printError(Terminal.printable("lcfile: \(server) is not healthy: \(error)"))
            throw ExitCode.failure
        } catch {
            Terminal.printError(Terminal.printable("lcfile: \(server) does not answer: \(error)"))
            throw ExitCode.failure
        }
    }
}
