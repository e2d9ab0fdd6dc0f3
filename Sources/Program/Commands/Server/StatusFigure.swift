/// A figure of `lcfile status`, and the series of the server's metrics from which it is computed.
struct StatusFigure {
    /// How a value is shown.
    enum Unit {
        case count
        case bytes
        /// Seconds.
        case seconds
        /// Seconds since 1970, shown as the time since then.
        case start
    }

    /// The label of the row, and the name in JSON.
    let name: String
    /// The series.
    let series: String
    /// The label that samples must have, and the beginning of its value; `nil` for all samples.
    let condition: (label: String, prefix: String)?
    let unit: Unit

    private init(
        _ name: String,
        _ series: String,
        _ unit: Unit = .count,
        where condition: (label: String, prefix: String)? = nil
    ) {
        self.name = name
        self.series = series
        self.unit = unit
        self.condition = condition
    }

    /// All figures in the order of their rows.
    ///
    /// This table alone knows the names of series.
    static let all = [
        StatusFigure("uptime", "process_start_time_seconds", .start),
        StatusFigure("requests", "lcfile_http_requests_total"),
        StatusFigure("requests failed by the server", "lcfile_http_requests_total", where: ("status", "5")),
        StatusFigure("requests running", "lcfile_http_requests_in_progress"),
        StatusFigure("requests beyond a limit", "lcfile_limits_hit_total"),
        StatusFigure("connections", "lcfile_http_connections"),
        StatusFigure("uploads", "lcfile_upload_requests_total", where: ("result", "accepted")),
        StatusFigure("images waiting", "lcfile_queue_waiting_jobs", where: ("queue", "image")),
        StatusFigure("hot downloads", "lcfile_hot_downloads_total"),
        StatusFigure("files that cannot be read", "lcfile_failed_reads_total"),
        StatusFigure("damaged files", "lcfile_damage", where: ("kind", "blob")),
        StatusFigure("damaged rows", "lcfile_damage", where: ("kind", "row")),
        StatusFigure("backup behind", "lcfile_backup_lag_seconds", .seconds),
        StatusFigure("waiting for the backup", "lcfile_backup_waiting_bytes", .bytes),
        StatusFigure("files to delete", "lcfile_deletions_waiting"),
        StatusFigure("files in the trash", "lcfile_trash_files"),
        StatusFigure("size of the trash", "lcfile_trash_bytes", .bytes),
        StatusFigure("uploads expired", "lcfile_uploads_expired_total"),
        StatusFigure("files from the mirror", "lcfile_mirror_fetches_total", where: ("result", "stored")),
        StatusFigure("live query connections", "lcfile_live_queries_connections"),
        StatusFigure("live query subscriptions", "lcfile_live_queries_subscriptions"),
        StatusFigure("log lines dropped", "lcfile_log_lines_dropped_total"),
        StatusFigure("memory", "process_resident_memory_bytes", .bytes),
        StatusFigure("disk space free", "lcfile_storage_free_bytes", .bytes),
    ]

    /// The series with the server's version in its label `version`.
    static let versionSeries = "lcfile_build_info"

    /// The series with the server's id in its label `id`.
    static let serverSeries = "lcfile_server_info"

    /// The sum of the samples that meet the condition, 0 if none does: a series for a status or a result exists only
    /// from its first event.
    ///
    /// - Parameter metrics: The samples.
    /// - Returns: The sum; `nil` if the metrics do not have the series at all.
    func value(in metrics: MetricsText) -> Double? {
        let samples = metrics.samples.filter { $0.name == series }
        guard !samples.isEmpty else { return nil }
        return samples.filter { sample in
            condition.map { sample.labels[$0.label]?.hasPrefix($0.prefix) ?? false } ?? true
        }
        .reduce(0) { $0 + $1.value }
    }

    /// The value that is shown: of a start, the time since then in seconds.
    func shown(_ value: Double, now: Double) -> Double {
        unit == .start ? max(0, now - value) : value
    }

    /// The value for people.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - now: The current time in seconds since 1970.
    /// - Returns: The text of the table.
    func text(_ value: Double, now: Double) -> String {
        let value = shown(value, now: now)
        return switch unit {
        case .count: Int64(exactly: value.rounded()).map(String.init) ?? "\(value)"
        case .bytes: Amount.bytes(Int64(exactly: value.rounded()) ?? 0)
        case .seconds, .start: Amount.time(value)
        }
    }
}
