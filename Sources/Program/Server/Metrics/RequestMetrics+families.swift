internal import Domain
internal import HTTPAPI

extension RequestMetrics {
    /// The metrics of requests and of uploads.
    var families: [MetricFamily] {
        let groups = RequestGroup.allCases
        let dialects = UploadDialect.allCases
        return [
            MetricFamily(
                name: "lcfile_http_requests_total",
                kind: .counter,
                help: "Requests by group of routes, method and status; 499 is a client that left before the response.",
                samples: counts.map { count in
                    let status = count.status.map { "\($0)" } ?? "other"
                    let labels = [
                        ("group", "\(count.group)"), ("method", count.method.label), ("status", status),
                    ]
                    return .init(labels: labels, value: Double(count.value))
                }
            ),
            MetricFamily(
                histogram: "lcfile_http_request_duration_seconds",
                "Time from the head of a request to the end of its response in seconds, by group of routes.",
                by: "group",
                groups.map { ("\($0)", durations(of: $0)) }
            ),
            MetricFamily(
                .counter,
                "lcfile_http_request_bytes_total",
                "Bytes of request bodies, by group of routes.",
                by: "group",
                groups.map { ("\($0)", bytes(of: $0).received) }
            ),
            MetricFamily(
                .counter,
                "lcfile_http_response_bytes_total",
                "Bytes of response bodies, by group of routes.",
                by: "group",
                groups.map { ("\($0)", bytes(of: $0).sent) }
            ),
            MetricFamily(
                .counter,
                "lcfile_http_responses_cut_off_total",
                "Requests whose connection ended before the end of the response, by group of routes.",
                by: "group",
                groups.map { ("\($0)", cutOff(of: $0)) }
            ),
            MetricFamily(
                .gauge,
                "lcfile_http_requests_in_progress",
                "Requests that have no whole response yet.",
                inProgress
            ),
            MetricFamily(
                .counter,
                "lcfile_hot_downloads_total",
                "Downloads that were answered with a prepared response.",
                hotDownloads
            ),
            MetricFamily(
                name: "lcfile_upload_requests_total",
                kind: .counter,
                help: "Requests with bytes or with the end of an upload, by dialect and result.",
                samples: dialects.flatMap { dialect in
                    UploadResult.allCases.map { result in
                        .init(
                            labels: [("dialect", dialect.label), ("result", result.label)],
                            value: Double(uploads(dialect, result))
                        )
                    }
                }
            ),
            MetricFamily(
                .counter,
                "lcfile_upload_bytes_total",
                "Bytes that clients sent in uploads, by dialect; with the framing of forms and of JSON.",
                by: "dialect",
                dialects.map { ($0.label, uploadedBytes($0)) }
            ),
        ]
    }
}
