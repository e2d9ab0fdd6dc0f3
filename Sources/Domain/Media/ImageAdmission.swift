internal import Synchronization

/// Decides which image jobs run: those that have a thread and memory, in an order that no requester can monopolize.
///
/// A job first takes a permit; the number of permits is fixed. Without a free permit the job is refused at once, unless
/// another app, address or file has more permits: then the job of theirs that would run last is refused instead. When
/// its cost is known, a job waits in the order of ``ImageQueue``. Cheap jobs have separate lanes beside the shared
/// slots, so that they never wait for an expensive job. Thread-safe.
package final class ImageAdmission: Sendable {
    let limits: Limits
    let now: @Sendable () -> ContinuousClock.Instant
    let requestLimits: RequestLimits?
    private let state: Mutex<State>
    /// How long jobs waited for their slot.
    package let waits = DurationHistogram()

    /// The limits for all running and waiting jobs.
    package struct Limits: Sendable {
        /// The number of jobs of any cost that run at the same time.
        package var workers: Int
        /// The memory of these jobs together, in bytes.
        package var memory: Int
        /// The number of waiting jobs, beyond those that run.
        package var queue: Int
        /// The number of cheap jobs that run at the same time, beyond ``workers``.
        package var lanes = 0
        /// The maximum estimated time of a cheap job.
        package var cheapTime = Duration.milliseconds(500)
        /// How long a job holds a lane; a longer job leaves the lane as one of at most ``overruns``, or stops and runs
        /// again as a job that is not cheap.
        package var laneTime = Duration.seconds(1)
        /// The number of jobs that continue after ``laneTime`` outside their lane.
        package var overruns = 0

        /// Creates the limits for all jobs; those for cheap jobs have defaults.
        package init(workers: Int, memory: Int, queue: Int) {
            self.workers = workers
            self.memory = memory
            self.queue = queue
        }

        /// The memory of cheap jobs in lanes together, beyond ``memory``, in bytes.
        package var laneMemory: Int { memory / 4 }

        /// The maximum number of running jobs, which is the number of threads that they need.
        package var threads: Int { workers + lanes + overruns }
    }

    private struct State {
        var permits = 0
        var queue: ImageQueue
        var next: UInt64 = 0
    }

    /// - Parameters:
    ///   - limits: The limits for all jobs together.
    ///   - requestLimits: Limits the estimated work for each client address; `nil` for no such limit.
    ///   - now: The clock; tests replace it.
    package init(
        _ limits: Limits,
        requestLimits: RequestLimits? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limits = limits
        self.requestLimits = requestLimits
        self.now = now
        state = Mutex(State(queue: ImageQueue(limits)))
    }

    /// Creates an admission without lanes: every job waits for the same workers.
    package convenience init(workers: Int, memory: Int, queue: Int) {
        self.init(Limits(workers: workers, memory: memory, queue: queue))
    }

    /// Runs a job that gets a permit; throws ``ServiceError/Code/overloaded`` at once if it gets none.
    ///
    /// - Parameters:
    ///   - requester: The requester in whose share the job counts.
    ///   - job: Estimates its work and runs it in ``Permit/run(_:atMost:_:)``.
    /// - Returns: The result of the job.
    /// - Throws: ``ServiceError/Code/overloaded``, and the errors of the job.
    package func admit<Result>(
        for requester: ImageRequester = ImageRequester(),
        _ job: (Permit) async throws -> Result
    ) async throws -> Result {
        try take(requester)
        defer {
            let now = now()
            state.withLock { state in
                state.permits -= 1
                state.queue.shares.give(requester, now)
            }
        }
        return try await job(Permit(admission: self, requester: requester))
    }

    /// A job's permit to run or wait.
    package struct Permit: Sendable {
        let admission: ImageAdmission
        /// The requester in whose share the job counts.
        let requester: ImageRequester
    }

    private func take(_ requester: ImageRequester) throws {
        let now = now()
        let (isAdmitted, refused) = state.withLock { state -> (Bool, ImageQueue.Job?) in
            var refused: ImageQueue.Job?
            if state.permits >= limits.workers + limits.queue {
                refused = state.queue.removeLast(toAdmit: requester, now)
                guard refused != nil else { return (false, nil) }
            }
            state.permits += 1
            state.queue.shares.take(requester, now)
            return (true, refused)
        }
        refused?.continuation.resume(throwing: ImageAdmission.refusal)
        guard isAdmitted else { throw ImageAdmission.refusal }
    }

    /// Whether a job of a requester without permits would be refused now, because no requester has a waiting job that
    /// can be refused instead.
    package var refusesNewRequesters: Bool {
        let now = now()
        return state.withLock { state in
            state.permits >= limits.workers + limits.queue && state.queue.indexOfLast(toAdmit: .stranger, now) == nil
        }
    }

    /// How full the queue is.
    package var queueStatus: QueueStatus {
        let (jobs, waiting) = state.withLock { ($0.permits, $0.queue.waiting.count) }
        return QueueStatus(jobs: jobs, waiting: waiting, limit: limits.workers + limits.queue)
    }

    /// How much memory the running jobs take by their estimates, and the limit of all of them together.
    package var memoryStatus: MemoryStatus {
        MemoryStatus(used: state.withLock(\.queue.usedMemory), limit: limits.memory + limits.laneMemory)
    }

    /// The number of entries of the shares, for tests: it must not grow with the number of all past requesters.
    var shareCount: Int { state.withLock(\.queue.shares.count) }

    /// How many jobs wait, for tests.
    var waitingCount: Int { state.withLock(\.queue.waiting.count) }

    private static var refusal: ServiceError {
        ServiceError(
            .overloaded,
            "Too many images are being processed; try again in a second.",
            limit: "images.maxQueued"
        )
    }

    /// Waits until the job can start.
    ///
    /// - Parameters:
    ///   - cost: The cost estimate of the job.
    ///   - requester: The requester in whose share it counts.
    ///   - priority: ``ImagePriority/low`` if it must not count as cheap, even at a low cost.
    ///   - arrival: The time since when it waits.
    /// - Returns: The grant of the job that starts.
    /// - Throws: As ``Permit/run(_:atMost:_:)``, except the errors of the work.
    func begin(
        _ cost: ImageCost,
        _ requester: ImageRequester,
        atMost priority: ImagePriority,
        since arrival: ContinuousClock.Instant
    ) async throws -> ImageQueue.Start {
        guard cost.memory <= limits.memory else {
            throw ServiceError(
                .imageTooLarge,
                "The image takes \(cost.memory >> 20) MB to process; the limit is \(limits.memory >> 20) MB (images.memory)."
            )
        }
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = Task.isCancelled
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                let job = ImageQueue.Job(
                    id: id,
                    cost: cost,
                    requester: requester,
                    priority: priority,
                    arrival: arrival,
                    continuation: continuation
                )
                state.withLock { $0.queue.waiting.append(job) }
                startThoseThatFit()
                // The task can be cancelled between the check and its entry in the queue.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Ends the time of a job in its lane, and frees the lane if the job can continue in another slot.
    ///
    /// - Returns: Whether the job must stop, because it cannot continue without the lane.
    func endLaneTime(_ id: UInt64) -> Bool {
        let now = now()
        let mustStop = state.withLock { $0.queue.endLaneTime(id, now) }
        startThoseThatFit()
        return mustStop
    }

    /// Records the end of a job.
    ///
    /// - Returns: Whether it was stopped by ``endLaneTime(_:)``.
    @discardableResult
    func end(_ id: UInt64) -> Bool {
        let now = now()
        let wasStopped = state.withLock { $0.queue.end(id, now) }
        startThoseThatFit()
        return wasStopped
    }

    private func cancel(_ id: UInt64) {
        let waiting = state.withLock { $0.queue.remove(id) }
        waiting?.continuation.resume(throwing: CancellationError())
        // The removed job can have blocked jobs behind it that fit.
        startThoseThatFit()
    }

    private func startThoseThatFit() {
        let now = now()
        let starting = state.withLock { state in
            var starting: [(ImageQueue.Job, ImageQueue.Start)] = []
            while let next = state.queue.startNext(now) { starting.append(next) }
            return starting
        }
        for (job, start) in starting { job.continuation.resume(returning: start) }
    }
}
