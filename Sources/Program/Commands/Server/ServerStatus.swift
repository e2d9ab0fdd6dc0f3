internal import FileClient

/// What `lcfile status` found out about a server.
struct ServerStatus {
    /// The server's URL.
    let server: String
    /// Why the server is not ready; `nil` if it is.
    let obstacle: String?
    /// The id that the server sent with its readiness; `nil` from a server of an earlier version.
    let serverID: String?
    /// The URL of the metrics.
    let metricsURL: String
    /// The metrics, or the reason why there are none.
    let metrics: Result<MetricsText, FileClientError>

    /// Requests the readiness and the metrics.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - metricsURL: The URL of its metrics.
    ///   - verifiesCertificate: Whether the certificate must be for the server's URL.
    /// - Throws: ``UnreachableServer`` if the server does not answer.
    init(of server: String, metricsURL: String, verifiesCertificate: Bool) async throws {
        self.server = server
        self.metricsURL = metricsURL
        do {
            let readiness = try await FileClient.readiness(of: server, verifiesCertificate: verifiesCertificate)
            obstacle = readiness.obstacle?.description
            serverID = readiness.serverID
        } catch let error as FileClientError {
            throw UnreachableServer(url: server, reason: error)
        }
        do {
            metrics = .success(MetricsText(try await FileClient.metrics(at: metricsURL)))
        } catch let error as FileClientError {
            metrics = .failure(error)
        }
    }

    /// A status for tests.
    init(
        server: String,
        obstacle: String?,
        serverID: String? = nil,
        metricsURL: String,
        metrics: Result<MetricsText, FileClientError>
    ) {
        self.server = server
        self.obstacle = obstacle
        self.serverID = serverID
        self.metricsURL = metricsURL
        self.metrics = metrics
    }

    /// The metrics of the server; `nil` if those at the URL cannot be read, or are of another server.
    ///
    /// A server that sends an id has it in its metrics, too. Without an id they are taken for those of the server.
    private var ownMetrics: MetricsText? {
        guard case .success(let metrics) = metrics else { return nil }
        guard let serverID else { return metrics }
        let id = metrics.samples.first { $0.name == StatusFigure.serverSeries }?.labels["id"]
        return id == serverID ? metrics : nil
    }

    /// The server's version, which its metrics name; `nil` without one.
    var version: String? {
        ownMetrics?.samples.first { $0.name == StatusFigure.versionSeries }?.labels["version"]
    }

    /// The figures that the metrics have, with their values.
    var figures: [(figure: StatusFigure, value: Double)] {
        guard let metrics = ownMetrics else { return [] }
        return StatusFigure.all.compactMap { figure in figure.value(in: metrics).map { (figure, $0) } }
    }

    /// The names and values of the table.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Returns: The rows, without characters that control terminals.
    func rows(now: Double) -> [[String]] {
        var rows = [["server", server], ["ready", obstacle.map { "no: \($0)" } ?? "yes"]]
        if let version { rows.append(["version", version]) }
        rows += figures.map { [$0.figure.name, $0.figure.text($0.value, now: now)] }
        switch metrics {
        case .success:
            if ownMetrics == nil { rows.append(["metrics", otherServer]) }
        case .failure(let error):
            rows.append([
                "metrics", "not reachable at \(metricsURL), set --metrics (or metrics.enabled of the server): \(error)",
            ])
        }
        return rows.map { $0.map(Terminal.printable) }
    }

    /// The object of `--json`; the uptime is in seconds.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Returns: The object.
    func json(now: Double) -> JSON {
        var members: [String: JSON] = ["server": .string(server), "ready": .bool(obstacle == nil)]
        if let obstacle { members["error"] = .string(obstacle) }
        if let version { members["version"] = .string(version) }
        switch metrics {
        case .success where ownMetrics == nil: members["metricsError"] = .string(otherServer)
        case .success:
            let figures = figures.map { ($0.figure.name, ServerStatus.number($0.figure.shown($0.value, now: now))) }
            members["figures"] = .object(Dictionary(figures) { first, _ in first })
        case .failure(let error): members["metricsError"] = .string(error.description)
        }
        return .object(members)
    }

    /// The message about metrics of another server.
    private var otherServer: String {
        "those at \(metricsURL) are of another server, set --metrics to the URL of this server's metrics"
    }

    private static func number(_ value: Double) -> JSON {
        Int64(exactly: value).map(JSON.integer) ?? .number(value)
    }
}

/// The server does not answer.
struct UnreachableServer: Error, CustomStringConvertible {
    let url: String
    let reason: FileClientError

    var description: String { "\(url) does not answer: \(reason)" }
}
