/// How full a queue is, for the metrics.
package struct QueueStatus: Sendable, Equatable {
    /// The number of jobs that run or wait.
    package var jobs: Int
    /// The number of jobs that wait.
    package var waiting: Int
    /// The maximum number of jobs that run and wait; `nil` if each caller has a limit of its own.
    package var limit: Int?

    /// Creates a status.
    package init(jobs: Int, waiting: Int, limit: Int?) {
        self.jobs = jobs
        self.waiting = waiting
        self.limit = limit
    }

    /// The status of two queues together.
    package static func + (one: QueueStatus, other: QueueStatus) -> QueueStatus {
        let limit = one.limit.flatMap { limit in other.limit.map { limit + $0 } }
        return QueueStatus(jobs: one.jobs + other.jobs, waiting: one.waiting + other.waiting, limit: limit)
    }

    /// The status of a queue behind a number of threads that is always used up before a job waits.
    package init(jobs: Int, threads: Int, limit: Int?) {
        self.init(jobs: jobs, waiting: max(0, jobs - threads), limit: limit)
    }
}

/// How much of a memory budget is used, for the metrics.
package struct MemoryStatus: Sendable, Equatable {
    /// In bytes.
    package var used: Int
    /// In bytes.
    package var limit: Int

    /// Creates a status.
    package init(used: Int, limit: Int) {
        self.used = used
        self.limit = limit
    }
}

/// Counts the uses of a cache, for the metrics; thread-safe, without a lock.
package final class CacheCounts: Sendable {
    private let hitCount = EventCount()
    private let missCount = EventCount()

    /// Creates counts of 0.
    package init() {}

    /// The number of uses that found a value.
    package var hits: Int { hitCount.value }
    /// The number of uses that found none.
    package var misses: Int { missCount.value }

    /// Counts one use.
    package func count(isHit: Bool) {
        (isHit ? hitCount : missCount).add()
    }
}
