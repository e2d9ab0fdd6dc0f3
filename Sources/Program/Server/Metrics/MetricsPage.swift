internal import HTTPAPI

/// All metrics of the server at one time, in Prometheus' text format, version 0.0.4.
struct MetricsPage: Sendable {
    /// The metrics that parts of the server make by name.
    let named = PrometheusMetrics()
    private let requests: RequestMetrics
    private let work: WorkFamilies
    private let resources: ResourceFamilies
    private let certificate: ServerCertificate?

    /// The media type of the text.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// Creates the page of a constructed server.
    ///
    /// - Parameters:
    ///   - shared: The parts that all apps share.
    ///   - apps: The services and the parts of each app.
    ///   - api: The interface, which counts the requests.
    ///   - connections: The open connections.
    ///   - probes: Measure the thread pools.
    ///   - certificate: The certificate of the listener; `nil` without TLS.
    init(
        of shared: SharedParts,
        apps: [(services: AppServices, parts: AppParts)],
        api: API,
        connections: OpenConnections,
        probes: [PoolProbe],
        certificate: ServerCertificate?
    ) {
        requests = api.metrics
        work = WorkFamilies(shared: shared, apps: apps)
        resources = ResourceFamilies(
            shared: shared,
            apps: apps.map(\.services),
            api: api,
            connections: connections,
            probes: probes
        )
        self.certificate = certificate
    }

    /// The text, ordered by the names of the metrics.
    var text: String {
        let parts = requests.families + work.all + resources.all + ProcessFamilies.all + [certificateEnd, build]
        return (named.families + parts).sorted { $0.name < $1.name }.map(\.text).joined()
    }

    private var certificateEnd: MetricFamily {
        MetricFamily(
            name: "lcfile_tls_certificate_expiry_timestamp_seconds",
            kind: .gauge,
            help: "End of the certificate for new connections in seconds since 1970; without TLS there is no value.",
            samples: certificate.map { [.init(labels: [], value: Double($0.end))] } ?? []
        )
    }

    private var build: MetricFamily {
        MetricFamily(
            .gauge,
            "lcfile_build_info",
            "Always 1; the label has the version of the program.",
            by: "version",
            [(ProgramVersion.number, 1)]
        )
    }
}
