internal import Synchronization

/// Decides which image jobs run: those that have a thread and memory, in an order that no requester can use up.
///
/// A job first takes a permit, of which there is a fixed number. Without a free one it is refused at once, unless
/// another app, address or file has more of them: then the job of theirs that would run last is refused instead. With
/// its cost known, a job waits in the order of ``ImageQueue``. Cheap jobs have lanes of their own beside the slots that
/// all share, so that they never wait for an expensive one. May be used from any thread.
package final class ImageAdmission: Sendable {
    let limits: Limits
    let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    /// What jobs may take together.
    package struct Limits: Sendable {
        /// Jobs at the same time, whatever they cost.
        package var workers: Int
        /// What those may take together, in bytes.
        package var memory: Int
        /// Jobs that wait beyond those that run.
        package var queue: Int
        /// Cheap jobs at the same time, beyond ``workers``.
        package var lanes = 0
        /// The most estimated time of a job that is cheap.
        package var cheapTime = Duration.milliseconds(500)
        /// How long a job holds a lane; one that takes longer goes on beside it, as one of at most ``overruns``, or
        /// stops and begins again as one that is not cheap.
        package var laneTime = Duration.seconds(1)
        /// Jobs at the same time that took a lane and longer than ``laneTime``.
        package var overruns = 0

        /// Takes the limits on all jobs; those on cheap ones are set afterwards.
        package init(workers: Int, memory: Int, queue: Int) {
            self.workers = workers
            self.memory = memory
            self.queue = queue
        }

        /// What cheap jobs in lanes may take together beyond ``memory``, in bytes.
        package var laneMemory: Int { memory / 4 }

        /// The most jobs at the same time, and so the threads that they need.
        package var threads: Int { workers + lanes + overruns }
    }

    private struct State {
        var permits = 0
        var queue: ImageQueue
        var next: UInt64 = 0
    }

    /// - Parameters:
    ///   - limits: What jobs may take together.
    ///   - now: The clock, which only tests replace.
    package init(_ limits: Limits, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.limits = limits
        self.now = now
        state = Mutex(State(queue: ImageQueue(limits)))
    }

    /// Takes limits without lanes: every job waits for the same workers.
    package convenience init(workers: Int, memory: Int, queue: Int) {
        self.init(Limits(workers: workers, memory: memory, queue: queue))
    }

    /// Runs a job that gets a permit, or throws ``ServiceError/Code/overloaded`` at once.
    ///
    /// - Parameters:
    ///   - requester: The requester in whose share the job counts.
    ///   - job: Estimates its work and runs it in ``Permit/run(_:atMost:_:)``.
    /// - Returns: What the job returns.
    /// - Throws: ``ServiceError/Code/overloaded``, and what the job throws.
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

    /// The number of entries of the shares, for tests: it must not grow with the number of all past requesters.
    var shareCount: Int { state.withLock(\.queue.shares.count) }

    /// How many jobs wait, for tests.
    var waitingCount: Int { state.withLock(\.queue.waiting.count) }

    private static var refusal: ServiceError {
        ServiceError(.overloaded, "Too many images are being processed; try again in a second.")
    }

    /// Waits until the job may start.
    ///
    /// - Parameters:
    ///   - cost: What the job is estimated to take.
    ///   - requester: The requester in whose share it counts.
    ///   - priority: ``ImagePriority/low`` if it must not count as cheap, even at a low cost.
    ///   - arrival: Since when it waits.
    /// - Returns: The grant of the job that starts.
    /// - Throws: As ``Permit/run(_:atMost:_:)``, but for what the work throws.
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
                // The task may have been cancelled between the look and the list.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Frees the lane of a job whose time in it is over, if another slot is free for the job.
    ///
    /// - Returns: Whether the job must stop, because it cannot go on without the lane.
    func endLaneTime(_ id: UInt64) -> Bool {
        let now = now()
        let mustStop = state.withLock { $0.queue.endLaneTime(id, now) }
        startThoseThatFit()
        return mustStop
    }

    /// Counts a job as ended.
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
        // Perhaps it stood before others that fit.
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
