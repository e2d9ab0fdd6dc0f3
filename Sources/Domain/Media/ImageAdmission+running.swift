/// Runs the work of jobs that have a permit.
extension ImageAdmission.Permit {
    /// Waits for a slot and for memory, then runs the work.
    ///
    /// Work in a lane that exceeds ``ImageAdmission/Limits/laneTime`` and cannot leave its lane is cancelled, and runs
    /// a second time as a job that is not cheap. So the work must be repeatable.
    ///
    /// - Parameters:
    ///   - cost: The cost estimate of the work.
    ///   - priority: ``ImagePriority/low`` for work that must not count as cheap, even at a low cost.
    ///   - work: The work; its argument is the priority of its thread.
    /// - Returns: The result of the work.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` if the work alone exceeds the memory limit,
    ///   ``ServiceError/Code/overloaded`` if the permit goes to a requester with fewer permits, `CancellationError` if
    ///   the task is cancelled while it waits, and the errors of the work.
    package func run<Result: Sendable>(
        _ cost: ImageCost,
        atMost priority: ImagePriority = .normal,
        _ work: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        let arrival = admission.now()
        try admission.requestLimits?.takeImageWork(cost.time, from: requester.address)
        do {
            return try await admission.run(cost, requester, atMost: priority, since: arrival, work)
        } catch is LostLane {
            return try await admission.run(cost, requester, atMost: .low, since: arrival, work)
        }
    }
}

/// The work was stopped because another job needed its lane.
private struct LostLane: Error {}

extension ImageAdmission {
    fileprivate func run<Result: Sendable>(
        _ cost: ImageCost,
        _ requester: ImageRequester,
        atMost priority: ImagePriority,
        since arrival: ContinuousClock.Instant,
        _ work: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        let start = try await begin(cost, requester, atMost: priority, since: arrival)
        waits.record(now() - arrival)
        if start.isInLane { return try await runInLane(start, work) }
        defer { end(start.id) }
        return try await work(start.priority)
    }

    /// Runs work in a separate task, which can be cancelled without the caller's task.
    ///
    /// The lane becomes free when the work has ended, not when it is cancelled: until then its thread computes. The
    /// single call of an encoder cannot be interrupted, but the pixels of its result are part of the estimate that made
    /// the job cheap.
    private func runInLane<Result: Sendable>(
        _ start: ImageQueue.Start,
        _ work: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        let task = Task.immediate { try await work(start.priority) }
        let watch = Task { [self] in
            guard (try? await Task.sleep(for: limits.laneTime)) != nil else { return }
            if endLaneTime(start.id) { task.cancel() }
        }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        watch.cancel()
        let wasStopped = end(start.id)
        // A result that arrives after the stop is used. An error can be a consequence of the stop, so the job runs
        // again, unless its caller was cancelled too.
        if wasStopped, case .failure = result, !Task.isCancelled { throw LostLane() }
        return try result.get()
    }
}
