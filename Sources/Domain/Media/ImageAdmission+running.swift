/// How a job that has a permit runs.
extension ImageAdmission.Permit {
    /// Waits for a slot and for memory, then runs the work.
    ///
    /// Work in a lane that is not done after ``ImageAdmission/Limits/laneTime`` and cannot leave its lane is cancelled,
    /// and runs a second time as a job that is not cheap. So it must do nothing that may not be done twice.
    ///
    /// - Parameters:
    ///   - cost: What the work is estimated to take.
    ///   - priority: ``ImagePriority/low`` for work that must not count as cheap, even at a low cost.
    ///   - work: Gets the priority that it is to compute with.
    /// - Returns: What the work returns.
    /// - Throws: ``ServiceError/Code/imageTooLarge`` if the work alone takes more than there is,
    ///   ``ServiceError/Code/overloaded`` if the permit goes to a requester with fewer permits, `CancellationError` if
    ///   the task is cancelled while it waits, and what the work throws.
    package func run<Result: Sendable>(
        _ cost: ImageCost,
        atMost priority: ImagePriority = .normal,
        _ work: @escaping @Sendable (ImagePriority) async throws -> Result
    ) async throws -> Result {
        let arrival = admission.now()
        do {
            return try await admission.run(cost, requester, atMost: priority, since: arrival, work)
        } catch is LostLane {
            return try await admission.run(cost, requester, atMost: .low, since: arrival, work)
        }
    }
}

/// The work was stopped because its lane was needed.
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
        if start.isInLane { return try await runInLane(start, work) }
        defer { end(start.id) }
        return try await work(start.priority)
    }

    /// Runs work in a task of its own, which can be cancelled without the caller's.
    ///
    /// The lane is free when the work has ended, not when it is cancelled: until then its thread computes. What an
    /// encoder does in one piece cannot be interrupted, but its result's pixels are part of the estimate that made the
    /// job cheap.
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
        // A result that arrives after the stop is used. An error may follow from the stop, so the job begins again,
        // unless its caller was cancelled too and no longer waits.
        if wasStopped, case .failure = result, !Task.isCancelled { throw LostLane() }
        return try result.get()
    }
}
