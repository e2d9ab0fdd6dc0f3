/// How much waits in one app's censorship queue.
package struct CensorProgress: Sendable, Hashable {
    /// Checks of new files, and other jobs that are not of a bulk run.
    package var waiting = 0
    /// Checks of the running bulk run.
    package var waitingBulk = 0
    /// Seconds since the oldest job was added; 0 without jobs.
    package var oldestSeconds = 0
    /// The images that the running bulk run has examined, and all of its images; 0 without a run.
    package var examined = 0
    /// All images of the running bulk run; 0 without a run.
    package var total = 0

    /// Creates the progress of an empty queue.
    package init() {}
}

extension CensorQueue {
    /// How much waits now.
    package func progress() async throws -> CensorProgress {
        let now = clock()
        return try await store.read { reader in
            var progress = CensorProgress()
            progress.waiting = try reader.count(CensorJob.isDue(.new), in: .censorJob)
            progress.waitingBulk = try reader.count(CensorJob.isDue(.bulk), in: .censorJob)
            let oldest = ObjectQuery(.censorJob, order: [SortKey(FieldPath(field: "createdAt"))], page: .first)
            if let first = try reader.find(oldest).first {
                progress.oldestSeconds = Int(max(0, now.milliseconds - first.createdAt.milliseconds) / 1000)
            }
            if let run = try reader.runningRun() {
                progress.examined = run.examined
                progress.total = run.total
            }
            return progress
        }
    }
}
