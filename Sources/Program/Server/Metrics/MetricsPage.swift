internal import Domain
internal import HTTPAPI

/// All metrics of the server at one time, in Prometheus' text format, version 0.0.4.
struct MetricsPage: Sendable {
    /// The metrics that parts of the server make by name.
    let named = PrometheusMetrics()
    let requests: RequestMetrics
    private let work: WorkFamilies
    let resources: ResourceFamilies
    private let readiness: ReadinessFamilies
    private let bucket: BucketFamilies
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
    ///   - readiness: Whether the server can do all of its work.
    ///   - certificate: The certificate of the listener; `nil` without TLS.
    init(
        of shared: SharedParts,
        apps: [(services: AppServices, parts: AppParts)],
        api: API,
        connections: OpenConnections,
        probes: [PoolProbe],
        readiness: Readiness,
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
        bucket = BucketFamilies(engine: shared.blobs, derivatives: apps.compactMap(\.parts.sharedDerivatives))
        self.readiness = ReadinessFamilies(readiness: readiness)
        self.certificate = certificate
    }

    /// The text, ordered by the names of the metrics.
    var text: String {
        let parts =
            requests.families + work.all + resources.all + bucket.all + readiness.all + ProcessFamilies.all
            + [certificateEnd, MetricsPage.build(ProgramVersion.commit)]
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

    /// The version of the program and its commit, which `lcfile --version` prints, too.
    static func build(_ commit: String?) -> MetricFamily {
        MetricFamily(
            name: "lcfile_build_info",
            kind: .gauge,
            help: "Always 1; the labels have the version of the program and the commit that was built.",
            samples: [
                .init(labels: [("version", ProgramVersion.number), ("commit", commit ?? "unknown")], value: 1)
            ]
        )
    }
}
