internal import ArgumentParser
internal import FileClient
internal import FoundationEssentials

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print what a server does: whether it is ready, its requests, files, memory and disk space.",
        discussion: """
            The figures come from the server's metrics, which have an address of their own and are usually reachable \
            from its machine only. Without them, or with those of another server, only the readiness is shown. The \
            exit code is 3 if the server does not answer; 'lcfile health' has one for a server that is not ready.

            Examples:
              lcfile status
              lcfile status --json
              lcfile status --server https://files.example.com \\
                --metrics http://10.0.0.5:9464/metrics
            """
    )

    @OptionGroup
    var local: LocalServer

    @Option(
        help: """
            The URL of the metrics; without a path it gets /metrics. Default: /metrics on the host of the server, \
            or of LCFILE_METRICS_HOST if nothing names the server, with LCFILE_METRICS_PORT or port 9464.
            """
    )
    var metrics: String?

    @OptionGroup
    var printing: JSONOption

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        do {
            let server = try local.choice(in: environment)
            let given = metrics.map(StatusCommand.withPath)
            let status = try await ServerStatus(
                of: server.url,
                metricsURL: given ?? StatusCommand.metricsURL(of: server, in: environment),
                verifiesCertificate: server.isNamed
            )
            let now = Date().timeIntervalSince1970
            guard !printing.isOn else { return Terminal.printLine(status.json(now: now).description) }
            for line in Table.lines(status.rows(now: now)) { Terminal.printLine(line) }
        } catch {
            try ServerOptions.end(with: error)
        }
    }

    /// A URL that names only a host, with the path of the metrics; other URLs as they are.
    static func withPath(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(where: { "/?#".contains($0) }) else { return "\(url)/metrics" }
        return rest[slash...] == "/" ? "\(url)metrics" : url
    }

    /// The usual URL of the metrics of a server; one that the environment describes has an address of its own for them.
    static func metricsURL(of server: LocalServer.Choice, in environment: [String: String]) -> String {
        guard !server.isNamed else { return metricsURL(of: server.url, in: environment) }
        let host = environment["LCFILE_METRICS_HOST"].flatMap { $0.isEmpty ? nil : $0 }
        return metricsURL(of: "http://\(LocalServer.authority(of: host))", in: environment)
    }

    /// The usual URL of the metrics of the server with a URL.
    static func metricsURL(of server: String, in environment: [String: String]) -> String {
        let port = environment["LCFILE_METRICS_PORT"].flatMap { $0.isEmpty ? nil : $0 } ?? "9464"
        let authority = server.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? "127.0.0.1"
        var host = authority
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") { host = authority[..<colon] }
        return "http://\(host):\(port)/metrics"
    }
}
