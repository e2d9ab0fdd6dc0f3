internal import DiskBlobs
internal import Domain
internal import HTTPAPI
internal import SQLiteStore
internal import VipsMedia
internal import VisionModel

/// The metrics of what the parts of the server do: images, worker processes, caches, the disk.
struct WorkFamilies: Sendable {
    let shared: SharedParts
    let apps: [(services: AppServices, parts: AppParts)]

    var all: [MetricFamily] { images + workers + caches + derivativeSpace + disk }

    private var images: [MetricFamily] {
        let stages = shared.images.renderer.stages
        return [
            MetricFamily(
                histogram: "lcfile_image_stage_duration_seconds",
                "Time that images take in a stage in seconds.",
                by: "stage",
                [
                    ("wait", shared.images.admission.waits.snapshot),
                    ("header", stages.header.snapshot),
                    ("worker", stages.worker.snapshot),
                    ("render", stages.render.snapshot),
                ]
            )
        ]
    }

    private var workers: [MetricFamily] {
        let images = shared.images.renderer.workerCounts
        let classifier = shared.censorship.classifier.processCounts
        var failures: [MetricFamily.Sample] = WorkerCounts.Failure.allCases.map { reason in
            .init(
                labels: [("kind", "image"), ("reason", reason.label)],
                value: Double(images?.failed(reason) ?? 0)
            )
        }
        failures.append(
            .init(labels: [("kind", "classifier"), ("reason", "failed")], value: Double(classifier.failures))
        )
        return [
            MetricFamily(
                .gauge,
                "lcfile_worker_processes",
                "Running worker processes, by kind.",
                by: "kind",
                [("image", images?.running ?? 0), ("classifier", classifier.running)]
            ),
            MetricFamily(
                .counter,
                "lcfile_worker_starts_total",
                "Started worker processes, by kind; one for each image, and a classifier for many.",
                by: "kind",
                [("image", images?.starts.value ?? 0), ("classifier", classifier.starts)]
            ),
            MetricFamily(
                name: "lcfile_worker_failures_total",
                kind: .counter,
                help: "Worker processes that ended without a result, by kind and reason.",
                samples: failures
            ),
        ]
    }

    private var caches: [MetricFamily] {
        let caches: [(name: String, counts: [CacheCounts])] = [
            ("derivatives", apps.map(\.services.images.derivativeCounts)),
            ("image_headers", apps.map(\.services.images.headers.counts)),
            ("file_records", apps.map(\.services.files.cacheCounts.records)),
            ("open_blobs", apps.map(\.services.files.cacheCounts.blobs)),
            ("rows", apps.compactMap(\.parts.database.cachedRows)),
            ("sessions", apps.map(\.services.sessions.cacheCounts)),
        ]
        return [
            MetricFamily(
                .counter,
                "lcfile_cache_hits_total",
                "Uses of a cache that found a value.",
                by: "cache",
                caches.map { ($0.name, $0.counts.reduce(0) { $0 + $1.hits }) }
            ),
            MetricFamily(
                .counter,
                "lcfile_cache_misses_total",
                "Uses of a cache that found no value.",
                by: "cache",
                caches.map { ($0.name, $0.counts.reduce(0) { $0 + $1.misses }) }
            ),
        ]
    }

    private var derivativeSpace: [MetricFamily] {
        let usage = apps.map(\.parts.localDerivatives.usage)
        return [
            MetricFamily(
                .gauge,
                "lcfile_derivatives_bytes",
                "Disk space of stored derivatives in bytes.",
                usage.reduce(0) { $0 + $1.used }
            ),
            MetricFamily(
                .gauge,
                "lcfile_derivatives_limit_bytes",
                "Limit of the disk space of stored derivatives in bytes; of all apps together.",
                usage.reduce(0) { $0 + $1.limit }
            ),
            MetricFamily(
                .counter,
                "lcfile_derivatives_evicted_bytes_total",
                "Bytes of derivatives that were removed because of the limit.",
                usage.reduce(0) { $0 + $1.evicted }
            ),
        ]
    }

    private var disk: [MetricFamily] {
        [
            MetricFamily(
                histogram: "lcfile_fsync_duration_seconds",
                "Time to sync a file or a folder of blobs to the disk in seconds.",
                DiskSyncs.durations.snapshot
            ),
            MetricFamily(
                histogram: "lcfile_database_commit_duration_seconds",
                "Time of a transaction with changes in seconds, with its sync to the disk.",
                shared.commits.snapshot
            ),
        ]
    }
}
