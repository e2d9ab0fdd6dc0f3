internal import CurlFetch
internal import Domain
internal import HTTPAPI
internal import PasswordHashes
internal import VipsMedia
internal import VisionModel

/// The metrics of what is limited: queues, memory, connections, threads.
struct ResourceFamilies: Sendable {
    let shared: SharedParts
    let apps: [AppServices]
    let api: API
    let connections: OpenConnections
    let probes: [PoolProbe]

    var all: [MetricFamily] { queues + memory + pools + sockets }

    private var queues: [MetricFamily] {
        let queues = named
        let limited = queues.compactMap { queue in queue.status.limit.map { (queue.name, $0) } }
        return [
            MetricFamily(
                .gauge,
                "lcfile_queue_jobs",
                "Jobs that run or wait, by queue.",
                by: "queue",
                queues.map { ($0.name, $0.status.jobs) }
            ),
            MetricFamily(
                .gauge,
                "lcfile_queue_waiting_jobs",
                "Jobs that wait, by queue.",
                by: "queue",
                queues.map { ($0.name, $0.status.waiting) }
            ),
            MetricFamily(
                .gauge,
                "lcfile_queue_limit_jobs",
                "Maximum number of jobs that run and wait, by queue; a further one is refused with 429.",
                by: "queue",
                limited
            ),
        ]
    }

    /// The queues by their names.
    var named: [(name: String, status: QueueStatus)] {
        let workers = shared.images.renderer.workerQueues
        let queries = apps.map(\.objects.admission.status)
        let threads = shared.configuration.threads
        return [
            ("images", shared.images.admission.queueStatus),
            ("image_workers", workers.decoding),
            ("image_headers", workers.headers),
            ("passwords", shared.passwords.status),
            ("classifier", shared.censorship.classifier.queueStatus),
            ("queries_quick", sum(queries.map(\.quick))),
            ("queries_slow", sum(queries.map(\.slow))),
            ("fetches", status(of: shared.fetches, threads: threads.fetches)),
            ("guest_fetches", status(of: shared.guestFetches, threads: shared.configuration.guestFetches.threads)),
            ("mirror_fetches", status(of: shared.mirrorFetches, threads: max(1, shared.configuration.mirrorThreads))),
        ]
    }

    private func status(of fetcher: CurlFetcher, threads: Int) -> QueueStatus {
        let jobs = fetcher.jobs
        return QueueStatus(jobs: jobs.count, threads: threads, limit: jobs.limit)
    }

    private func sum(_ queues: [QueueStatus]) -> QueueStatus {
        queues.reduce(QueueStatus(jobs: 0, waiting: 0, limit: nil)) {
            QueueStatus(jobs: $0.jobs + $1.jobs, waiting: $0.waiting + $1.waiting, limit: nil)
        }
    }

    private var memory: [MetricFamily] {
        var budgets: [(name: String, status: MemoryStatus)] = [
            ("images", shared.images.admission.memoryStatus),
            ("served_images", shared.images.served.status),
            ("fetched_images", shared.images.fetched.status),
            ("json_bodies", MemoryStatus(used: api.bodyMemory.used, limit: api.bodyMemory.limit)),
        ]
        if let hot = api.hotDownloads { budgets.append(("hot_downloads", hot.status.memory)) }
        return [
            MetricFamily(
                .gauge,
                "lcfile_memory_used_bytes",
                "Used memory of a budget in bytes; of images by their estimates.",
                by: "budget",
                budgets.map { ($0.name, $0.status.used) }
            ),
            MetricFamily(
                .gauge,
                "lcfile_memory_limit_bytes",
                "Limit of a memory budget in bytes.",
                by: "budget",
                budgets.map { ($0.name, $0.status.limit) }
            ),
        ]
    }

    private var pools: [MetricFamily] {
        [
            MetricFamily(
                .gauge,
                "lcfile_thread_pool_threads",
                "Threads of a pool; those of all apps together.",
                by: "pool",
                probes.map { ($0.name, $0.threads) }
            ),
            MetricFamily(
                name: "lcfile_thread_pool_wait_seconds",
                kind: .gauge,
                help: "Time that the last empty job waited for a thread of a pool in seconds.",
                samples: probes.map { .init(labels: [("pool", $0.name)], value: $0.wait / .seconds(1)) }
            ),
        ]
    }

    private var sockets: [MetricFamily] {
        let live = api.liveConnections
        return [
            MetricFamily(.gauge, "lcfile_http_connections", "Open connections, with WebSockets.", connections.count),
            MetricFamily(
                .gauge,
                "lcfile_http_connections_limit",
                "Maximum number of open connections.",
                shared.descriptors.connections
            ),
            MetricFamily(
                .gauge,
                "lcfile_websockets",
                "Open WebSockets of live queries.",
                live?.sockets.open ?? 0
            ),
            MetricFamily(
                .counter,
                "lcfile_live_queries_messages_total",
                "Messages on WebSockets of live queries, by direction.",
                by: "direction",
                [
                    ("received", live?.messages.received.value ?? 0),
                    ("sent", live?.messages.sent.value ?? 0),
                ]
            ),
        ]
    }
}
