import FileClient
import Testing

@testable import Commands

@Suite struct StatusTests {
    private static let text = """
        # HELP lcfile_http_requests_total Requests
        # TYPE lcfile_http_requests_total counter
        lcfile_http_requests_total{group="/a",status="200"} 5.0
        lcfile_http_requests_total{group="/b\\"c\\\\d\\n,}",status="503"} 2 1700000000
        lcfile_build_info{version="1.2.3"} 1
        process_resident_memory_bytes 1048576
        process_start_time_seconds 1e3
        nonsense
        broken{a="b" 3
        """

    private func status(
        obstacle: String? = nil,
        serverID: String? = nil,
        _ text: String? = StatusTests.text
    ) async -> ServerStatus {
        let metrics: Result<MetricsText, FileClientError>
        if let text {
            metrics = .success(MetricsText(text))
        } else {
            // The port is reserved, so that nothing listens on it.
            let failure = await #expect(throws: FileClientError.self) {
                _ = try await FileClient.metrics(at: "http://127.0.0.1:1/metrics")
            }
            metrics = failure.map(Result.failure) ?? .success(MetricsText(""))
        }
        return ServerStatus(
            server: "http://a",
            obstacle: obstacle,
            serverID: serverID,
            metricsURL: "http://a:1/metrics",
            metrics: metrics
        )
    }

    @Test("samples are read with their labels, other lines are skipped")
    func samples() {
        let samples = MetricsText(StatusTests.text).samples
        #expect(samples.map(\.value) == [5, 2, 1, 1_048_576, 1000])
        #expect(samples[1].labels == ["group": "/b\"c\\d\n,}", "status": "503"])
        #expect(samples[3].labels == [:])
    }

    @Test("the table has the figures that the metrics have")
    func rows() async {
        let rows = await status().rows(now: 4600)
        #expect(
            rows == [
                ["server", "http://a"], ["ready", "yes"], ["version", "1.2.3"], ["uptime", "1:00:00"],
                ["requests", "7"], ["requests failed by the server", "2"], ["memory", "1.00 MiB"],
            ]
        )
    }

    @Test("a server that is not ready says why, in the table and in JSON")
    func notReady() async {
        let status = await status(obstacle: "The server's storage is full. (HTTP 503)")
        #expect(status.rows(now: 0)[1] == ["ready", "no: The server's storage is full. (HTTP 503)"])
        guard case .object(let members) = status.json(now: 0) else {
            Issue.record("no object")
            return
        }
        #expect(members["ready"] == .bool(false))
        #expect(members["error"] == .string("The server's storage is full. (HTTP 503)"))
    }

    @Test("without metrics the table says so, and what is known")
    func noMetrics() async {
        let status = await status(nil)
        let rows = status.rows(now: 0)
        #expect(rows.map(\.[0]) == ["server", "ready", "metrics"])
        #expect(rows[2][1].hasPrefix("not reachable at http://a:1/metrics, set --metrics"))
        guard case .object(let members) = status.json(now: 0) else {
            Issue.record("no object")
            return
        }
        #expect(members["figures"] == nil)
        #expect(members["metricsError"] != nil)
    }

    @Test(
        "metrics of another server show no figures, and the row says what to do",
        arguments: ["", "\nlcfile_server_info{id=\"b\"} 1", "\nlcfile_server_info 1"]
    )
    func otherServer(line: String) async {
        let status = await status(obstacle: "full", serverID: "a", StatusTests.text + line)
        let message =
            "those at http://a:1/metrics are of another server, set --metrics to the URL of this server's metrics"
        #expect(
            status.rows(now: 0) == [["server", "http://a"], ["ready", "no: full"], ["metrics", message]]
        )
        guard case .object(let members) = status.json(now: 0) else {
            Issue.record("no object")
            return
        }
        #expect(members.keys.sorted() == ["error", "metricsError", "ready", "server"])
        #expect(members["metricsError"] == .string(message))
    }

    @Test(
        "metrics are the server's if they have its id, or if the server sends none",
        arguments: ["a", nil] as [String?]
    )
    func sameServer(id: String?) async {
        let status = await status(serverID: id, StatusTests.text + "\nlcfile_server_info{id=\"a\"} 1")
        #expect(status.rows(now: 4600).map(\.[0]).contains("memory"))
        #expect(status.version == "1.2.3")
    }

    @Test("a figure of a series without the wanted label is 0, and one without the series is not shown")
    func zero() {
        let metrics = MetricsText(
            """
            lcfile_http_requests_total{group="/a",status="200"} 5
            lcfile_upload_requests_total{result="refused"} 1
            """
        )
        let shown = StatusFigure.all.compactMap { figure in figure.value(in: metrics).map { "\(figure.name) \($0)" } }
        #expect(shown == ["requests 5.0", "requests failed by the server 0.0", "uploads 0.0"])
    }

    @Test("a server that does not answer is named, with the exit code for servers")
    func unreachable() async {
        let url = "http://127.0.0.1:1"
        let error = await #expect(throws: UnreachableServer.self) {
            try await ServerStatus(of: url, metricsURL: "\(url)/metrics", verifiesCertificate: true)
        }
        #expect(error?.description.hasPrefix("http://127.0.0.1:1 does not answer: ") == true)
        #expect(error.map { ExitStatus.status(of: $0) } == ExitStatus.server)
    }

    @Test("JSON has whole numbers, and the uptime in seconds")
    func json() async {
        guard case .object(let members) = await status().json(now: 4600) else {
            Issue.record("no object")
            return
        }
        #expect(
            members["figures"]
                == .object([
                    "uptime": .integer(3600), "requests": .integer(7), "requests failed by the server": .integer(2),
                    "memory": .integer(1_048_576),
                ])
        )
    }

    @Test(
        "the metrics are on the host of the server",
        arguments: [
            ("http://127.0.0.1:8080", [:], "http://127.0.0.1:9464/metrics"),
            ("https://files.example.com", [:], "http://files.example.com:9464/metrics"),
            ("https://files.example.com/base/", ["LCFILE_METRICS_PORT": "1"], "http://files.example.com:1/metrics"),
            ("http://[::1]:8080", ["LCFILE_METRICS_PORT": ""], "http://[::1]:9464/metrics"),
            ("http://[::1]", [:], "http://[::1]:9464/metrics"),
        ] as [(String, [String: String], String)]
    )
    func address(server: String, environment: [String: String], expected: String) {
        #expect(StatusCommand.metricsURL(of: server, in: environment) == expected)
    }

    @Test("the metrics of the server that the environment describes are on LCFILE_METRICS_HOST, and not on LCFILE_HOST")
    func ownAddress() {
        let own = LocalServer.Choice(url: "http://127.0.0.2:8080", isNamed: false)
        #expect(StatusCommand.metricsURL(of: own, in: [:]) == "http://127.0.0.1:9464/metrics")
        let environment = ["LCFILE_METRICS_HOST": "fd00::5", "LCFILE_METRICS_PORT": "1"]
        #expect(StatusCommand.metricsURL(of: own, in: environment) == "http://[fd00::5]:1/metrics")
        let named = LocalServer.Choice(url: "http://127.0.0.2:8080", isNamed: true)
        #expect(StatusCommand.metricsURL(of: named, in: environment) == "http://127.0.0.2:1/metrics")
    }

    @Test(
        "a URL that names only the host of the metrics gets their path",
        arguments: [
            ("http://10.0.0.5:9464", "http://10.0.0.5:9464/metrics"),
            ("http://10.0.0.5:9464/", "http://10.0.0.5:9464/metrics"),
            ("http://proxy/lcfile/metrics", "http://proxy/lcfile/metrics"),
            ("http://proxy?target=a", "http://proxy?target=a"),
            ("10.0.0.5:9464", "10.0.0.5:9464"),
        ]
    )
    func path(given: String, expected: String) {
        #expect(StatusCommand.withPath(given) == expected)
    }
}
