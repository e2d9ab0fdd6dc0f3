package import Logging
internal import Synchronization

/// The workers of one app's censorship queue (docs/censorship.md).
///
/// A job is a row. A worker leases it, works without a transaction, and writes the result and deletes the row in one
/// transaction if the lease is still its own. So a kill neither loses a job nor decides one twice.
package final class CensorQueue: Sendable {
    let app: AppID
    let store: any ObjectStore
    let checks: FileChecks
    let policy: CensorPolicy
    let purge: PurgeHook?
    let limits: CheckLimits
    let ids: ObjectIDGenerator
    let clock: @Sendable () -> Timestamp
    private let logger: Logger?
    private let signals: [WakeSignal]
    private let isFailing = Atomic(false)

    /// - Parameters:
    ///   - app: The app, for the log.
    ///   - store: Contains the queue.
    ///   - checks: Checks files.
    ///   - policy: Has the app's settings.
    ///   - purge: Tells the CDN of blocked files; `nil` without `censorship.purge`.
    ///   - limits: The limits of checks.
    ///   - ids: Generates ids of rows.
    ///   - clock: Returns the current time.
    ///   - logger: Logs failures of the store, and of jobs that fail again and again.
    package init(
        app: AppID,
        store: any ObjectStore,
        checks: FileChecks,
        policy: CensorPolicy,
        purge: PurgeHook? = nil,
        limits: CheckLimits,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        logger: Logger? = nil
    ) {
        self.app = app
        self.store = store
        self.checks = checks
        self.policy = policy
        self.purge = purge
        self.limits = limits
        self.ids = ids
        self.clock = clock
        self.logger = logger
        let signals = (0..<max(1, limits.workers)).map { _ in WakeSignal() }
        self.signals = signals
        let filters = [
            ChangeFilter(.censorJob, [.created, .updated]), ChangeFilter(.censorRun, [.created, .updated]),
        ]
        store.changes.subscribe(to: filters) { _ in
            for signal in signals { signal.set() }
        }
    }

    /// Works through the queue, and through jobs that are added later, until the task is cancelled; one call at a time, of
    /// all servers.
    ///
    /// - Parameter report: Called at most once a second while there is work, and when there is none.
    package func run(_ report: @escaping @Sendable (CensorProgress) -> Void) async {
        await withDiscardingTaskGroup { group in
            for signal in signals { group.addTask { await self.run(signal, report) } }
        }
    }

    /// Gives back the jobs that an earlier call of ``run(_:)`` leased and did not finish; call it before each call.
    package func recover() async throws {
        let now = clock()
        try await store.write { writer in
            let isLeased = Condition.field(FieldPath(field: "lease"), .exists(true))
            for row in try writer.find(ObjectQuery(.censorJob, where: isLeased, page: .all)) {
                guard var job = CensorJob(row) else { continue }
                job.lease = nil
                job.due = now
                try writer.update(job.object, in: .censorJob, from: row)
            }
        }
    }

    /// Does the next job that is due.
    ///
    /// - Returns: Whether there can be another one at once.
    /// - Throws: Errors of the store, and `CancellationError`.
    package func step() async throws -> Bool {
        let now = clock()
        let lease = RandomString.lowercase(16)
        let (job, hasAdded) = try await store.write { [limits, ids] writer in
            // Files of a bulk run are queued when few of them wait, so all new files come before them.
            let hasAdded = try writer.feedRun(at: now, ids: ids)
            let end = now.adding(milliseconds: limits.leaseTime)
            return (try writer.lease(as: lease, at: now, until: end), hasAdded)
        }
        guard let job else { return hasAdded }
        try await perform(job)
        return true
    }

    private func run(_ signal: WakeSignal, _ report: @Sendable (CensorProgress) -> Void) async {
        var backoff = Backoff(first: .seconds(1), max: .seconds(60))
        while !Task.isCancelled {
            do {
                var reported = ContinuousClock.now
                while try await step() {
                    guard reported.duration(to: .now) >= .seconds(1) else { continue }
                    report(try await progress())
                    reported = .now
                }
                report(try await progress())
                noteRecovery()
                backoff.reset()
                let next = try await store.read { try $0.nextDue() }
                await signal.wait(until: next.map { CensorQueue.instant(of: $0, from: clock()) })
            } catch is CancellationError {
                return
            } catch {
                note(error)
                try? await Task.sleep(for: backoff.next())
            }
        }
    }

    private static func instant(of due: Timestamp, from now: Timestamp) -> ContinuousClock.Instant {
        .now + .milliseconds(max(10, due.milliseconds - now.milliseconds))
    }

    /// Logs the first failure since the queue last worked.
    private func note(_ error: any Error) {
        guard !isFailing.exchange(true, ordering: .relaxed) else { return }
        logger?.error(
            "The censorship queue cannot go on; this is tried again",
            metadata: ["app": "\(app)", "error": "\(error.logged)"]
        )
    }

    private func noteRecovery() {
        guard isFailing.exchange(false, ordering: .relaxed) else { return }
        logger?.notice("The censorship queue goes on", metadata: ["app": "\(app)"])
    }

    func noteGivenUp(_ job: CensorJob, _ error: any Error) {
        logger?.error(
            "A job of the censorship queue failed and is not tried again",
            metadata: ["app": "\(app)", "job": "\(job.work)", "file": "\(job.file)", "error": "\(error)"]
        )
    }

    func noteRepetition(_ job: CensorJob, _ error: any Error) {
        logger?.error(
            "A job of the censorship queue fails again and again; it is tried at least once an hour",
            metadata: ["app": "\(app)", "job": "\(job.work)", "file": "\(job.file)", "error": "\(error)"]
        )
    }
}
