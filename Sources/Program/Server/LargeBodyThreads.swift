internal import NIOPosix

/// Runs what requests with large JSON bodies do on threads of their own, so that small requests wait for none of them.
final class LargeBodyThreads: TaskExecutor {
    private let pool: NIOThreadPool

    /// - Parameter pool: Started, and stopped after the last request.
    init(_ pool: NIOThreadPool) {
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A pool that was stopped runs it at once, on the thread that asks: a task always ends.
        pool.submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
