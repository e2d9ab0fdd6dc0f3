internal import CoreMetrics
internal import Domain
internal import ServiceLifecycle

/// Runs the scrubbers of all apps, and measures what they read and find.
struct ScrubWorkers: Service {
    /// The scrubber of each app, and the app's leases.
    let scrubbers: [(app: AppID, leases: Leases, scrubber: Scrubber)]

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for (app, leases, scrubber) in scrubbers {
                    group.addTask { await run(scrubber, of: app, leases) }
                }
            }
        }
    }

    private func run(_ scrubber: Scrubber, of app: AppID, _ leases: Leases) async {
        let label = [("app", app.description)]
        let blobs = Counter(label: "lcfile_scrub_blobs_total", dimensions: label)
        let bytes = Counter(label: "lcfile_scrub_bytes_total", dimensions: label)
        let share = Gauge(label: "lcfile_scrub_progress_ratio", dimensions: label)
        let lastRound = Gauge(label: "lcfile_scrub_last_round_timestamp_seconds", dimensions: label)
        let damage = KnownDamage.Kind.allCases.map { kind in
            (kind, Gauge(label: "lcfile_damage", dimensions: label + [("kind", kind.rawValue)]))
        }
        await scrubber.run(under: leases) { progress in
            blobs.increment(by: progress.blobs)
            bytes.increment(by: progress.bytes)
            share.record(progress.share)
            if let ended = progress.lastRound { lastRound.record(ended.wholeSeconds) }
            for (kind, gauge) in damage { gauge.record(kind == .blob ? progress.damagedBlobs : progress.damagedRows) }
        }
    }
}
