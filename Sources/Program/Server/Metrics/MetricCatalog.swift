internal import Domain

/// The counters and gauges that parts of the server make by name, with their types and descriptions.
///
/// A metric that is not in this list is not stored. Units are seconds and bytes, counters end with `_total`, and values
/// of labels are names in the code or ids of apps, never what a client sent (docs/operations/metrics.md).
enum MetricCatalog {
    /// A metric.
    struct Metric: Sendable {
        let name: String
        let kind: MetricFamily.Kind
        let help: String
        /// The labels of the series that exist before the first event, so that their first increase is seen.
        let initial: [[(name: String, value: String)]]

        fileprivate static func counter(
            _ name: String,
            _ help: String,
            from initial: [[(name: String, value: String)]] = []
        ) -> Metric {
            Metric(name: "lcfile_\(name)_total", kind: .counter, help: help, initial: initial)
        }

        fileprivate static func gauge(_ name: String, _ help: String) -> Metric {
            Metric(name: "lcfile_\(name)", kind: .gauge, help: help, initial: [])
        }
    }

    static let all: [Metric] =
        requests + storage + files + censorship + mails + sms + people + liveQueries

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private static let requests: [Metric] = [
        .counter("errors", "Errors that clients got, by code; items of batches count too."),
        .counter("limits_hit", "Requests refused because of a limit, by the setting of the limit.", from: limits),
        .counter("logins", "Log-ins with a password, by result.", from: series(of: "result", logins)),
        .counter("log_lines_dropped", "Log lines that were dropped, because log.buffer was full.", from: [[]]),
    ]

    private static let storage: [Metric] = [
        .counter("failed_reads", "Reads of stored bytes that failed.", from: [[]]),
        .counter("storage_faults", "Faults of the storage that requests encountered, by kind.", from: faults),
        .gauge("storage_fault", "Whether the storage has a fault, 1 or 0, by kind."),
        .gauge("storage_free_bytes", "Free space of the file system of the storage folder in bytes."),
        .gauge("storage_size_bytes", "Size of the file system of the storage folder in bytes."),
        .gauge("storage_reserve_bytes", "Disk space held in reserve in bytes; 0 while additions are refused."),
        .gauge("damage", "Blobs and rows that are known to be damaged, by app and kind."),
        .counter("scrub_blobs", "Blobs that the scrubber read, by app."),
        .counter("scrub_bytes", "Bytes that the scrubber read, by app."),
        .gauge("scrub_progress_ratio", "Part of the files' bytes that the scrubber's round has read, by app."),
        .gauge("scrub_last_round_timestamp_seconds", "When the scrubber last read everything, since 1970, by app."),
        .gauge("backup_lag_seconds", "Age of the oldest change that the continuous backup lacks, by app."),
        .gauge("backup_waiting_bytes", "Changes in bytes that wait for the target of the continuous backup, by app."),
        .counter("backup_failures", "Failures of the continuous backup, by app."),
        .counter("backup_generations", "Generations that the continuous backup began, by app."),
        .counter("backup_segments", "Segments that the continuous backup stored, by app."),
        .gauge("database_size_bytes", "Size of an app's database and of its write-ahead log in bytes."),
    ]

    private static let files: [Metric] = [
        .counter("uploads_expired", "Unfinished uploads that expired.", from: [[]]),
        .counter("uploads_abandoned_bytes", "Bytes of uploads that expired.", from: [[]]),
        .counter("mirror_fetches", "Fetches from the origins of mirrors, by app and result."),
        .gauge("deletions_waiting", "Deleted files whose bytes are not removed yet, by app."),
        .counter("deletions_removed", "Deleted files whose bytes were removed, by app."),
        .gauge("trash_files", "Files in the trash whose bytes the server has, by app."),
        .gauge("trash_bytes", "Bytes of files in the trash, by app."),
        .counter("trash_expired", "Files that were removed from the trash because their time was over, by app."),
        .counter("deletions_failed", "Attempts to remove bytes of deleted files that failed, by app."),
    ]

    private static let censorship: [Metric] = [
        .gauge("censorship_waiting", "Images that wait for a check, by app."),
        .gauge("censorship_waiting_bulk", "Images of bulk runs that wait for a check, by app."),
        .gauge("censorship_oldest_seconds", "Time since the oldest waiting image was queued in seconds, by app."),
        .gauge("censorship_run_examined", "Images that the current bulk run has examined, by app."),
        .gauge("censorship_run_files", "Images of the current bulk run, by app."),
    ]

    private static let mails: [Metric] = [
        .gauge("mails_waiting", "Mails that the mail server has not accepted yet, by app."),
        .gauge("mails_dead", "Dead letters: mails that were given up, by app."),
        .gauge("mails_oldest_seconds", "Time since the oldest waiting mail was caused in seconds, by app."),
        .counter("mails_sent", "Mails that the mail server accepted, by app."),
        .counter("mails_failed", "Attempts to send a mail that failed and are repeated, by app."),
        .counter("mails_given_up", "Mails that became dead letters, by app."),
    ]

    private static let people: [Metric] = [
        .gauge("people_jobs_waiting", "Unfinished deliveries of statuses and work after deletions, by app."),
        .counter("people_jobs_given_up", "Deliveries of statuses that were given up, by app."),
    ]

    private static let sms: [Metric] = [
        .gauge("sms_waiting", "SMS that the gateway has not accepted yet, by app."),
        .gauge("sms_dead", "Dead letters: SMS that were given up, by app."),
        .gauge("sms_oldest_seconds", "Time since the oldest waiting SMS was caused in seconds, by app."),
        .counter("sms_sent", "SMS that the gateway accepted, by app."),
        .counter("sms_failed", "Attempts to send an SMS that failed and are repeated, by app."),
        .counter("sms_given_up", "SMS that became dead letters, by app."),
    ]

    private static let liveQueries: [Metric] = [
        .gauge("live_queries_connections", "WebSockets that receive events of live queries, by app."),
        .gauge("live_queries_subscriptions", "Subscriptions of live queries, by app."),
        .counter("live_queries_events", "Events of live queries for clients, by app."),
        .counter("live_queries_losses", "Times that clients had to connect again because events were lost, by app."),
        .counter("live_queries_slow_clients", "Clients of live queries that read too slowly, by app."),
    ]

    private static let logins = [
        "accepted", "wrong_password", "unknown_user", "locked_out", "overloaded", "malformed", "failed", "cancelled",
    ]

    private static let limits = series(
        of: "limit",
        [
            "accounts.maxQueuedPasswords", "accounts.maxSignUps", "console.maxFailures", "database.readers",
            "fetch.maxQueued", "fetch.maxQueuedGuests", "fetch.threads", "http.bodyMemory", "http.maxConnections",
            "http.maxConnectionsPerAddress", "http2.maxControlFrames", "http2.maxResets", "http2.maxSmallFrames",
            "images.maxQueued", "images.memory", "limits.appRequests", "limits.fetches", "limits.imageWork",
            "limits.logIns", "limits.requests", "limits.uploads", "limits.userRequests", "liveQueries.connections",
            "liveQueries.connectionsPerInstallation", "liveQueries.memory", "liveQueries.subscribeRate",
            "liveQueries.subscriptions", "liveQueries.subscriptionsPerInstallation", "mail.maxPerAddress",
            "mail.maxPerApp", "mail.maxPerClient",
            "mirror.maxQueued", "people.maxBlocked", "people.maxFollowees", "people.maxRequests", "people.maxStatuses",
            "queries.maxConcurrent", "sms.maxPerApp", "sms.maxPerClient", "sms.maxPerDay", "sms.maxPerMinute",
            "uploads.maxOpen", "uploads.maxOpenAddress", "uploads.maxOpenGuests", "uploads.maxOpenUser",
            "uploads.maxWatchers", "uploads.maxWatchersGuests", "uploads.quota", "other",
        ]
    )

    private static let faults = series(of: "kind", StorageFault.allCases.map(\.rawValue))

    private static func series(of label: String, _ values: [String]) -> [[(name: String, value: String)]] {
        values.map { [(label, $0)] }
    }
}
