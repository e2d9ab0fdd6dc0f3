internal import NIOPosix

/// Runs requests with large JSON bodies on separate threads, so that small requests do not wait for them.
final class LargeBodyThreads: TaskExecutor {
    private let pool: NIOThreadPool

    /// - Parameter pool: A started pool, which is stopped after the last request.
    init(_ pool: NIOThreadPool) {
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A stopped pool runs the job at once on the calling thread, so every task ends.
        pool.submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
