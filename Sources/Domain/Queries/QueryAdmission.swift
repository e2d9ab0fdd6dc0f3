internal import Synchronization

/// Decides which queries of an app run at the same time (docs/queries.md, "Fairness").
///
/// A query's duration is known only after it has run. So each query begins in the quick lane, for a slice of time. A
/// query that has not ended by then continues if no other query runs; otherwise it returns its connection and begins
/// again in the slow lane, which has few permits and threads of lower priority. In both lanes callers get permits in
/// rounds. Objects by id and files by key need no permit: the store has connections that only they use.
package final class QueryAdmission: Sendable {
    /// Limits on queries: `perCaller` for each caller, the others for all callers of an app together.
    package struct Limits: Sendable {
        /// The number of permits of the quick lane.
        package var quick: Int
        /// The number of permits of the slow lane.
        package var slow: Int
        /// The time that a query can run in the quick lane, in milliseconds.
        package var slice: Int
        /// The maximum number of running and waiting requests of one caller.
        package var perCaller: Int
        /// The time that a query can wait for the slow lane, in seconds.
        package var wait: Int

        /// - Parameters:
        ///   - readers: Connections for queries; a quarter of them, at least one, can run slow queries at a time.
        ///   - slice: Milliseconds of the quick lane.
        ///   - perCaller: The maximum number of requests of one caller.
        ///   - wait: Seconds that a query can wait for the slow lane.
        package init(readers: Int = 4, slice: Int = 100, perCaller: Int = 64, wait: Int = 20) {
            slow = max(1, readers / 4)
            quick = max(1, readers - slow)
            self.slice = slice
            self.perCaller = perCaller
            self.wait = wait
        }
    }

    private let limits: Limits
    private let quick: FairPermits<CallerIdentity>
    private let slow: FairPermits<CallerIdentity>
    private let running = Mutex<[CallerIdentity: Int]>([:])

    /// Creates an admission with limits.
    package init(limits: Limits = Limits()) {
        self.limits = limits
        quick = FairPermits(limits.quick)
        slow = FairPermits(limits.slow)
    }

    /// The queries in each lane: those that run, and those that wait for a permit.
    package var status: (quick: QueueStatus, slow: QueueStatus) { (quick.status, slow.status) }

    /// Runs a query that checks the budget; it runs a second time if it did not end within its slice.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if the caller has the maximum number of queries, or the slow lane has
    ///   no permit for too long; errors of the body.
    package func run<Result: Sendable>(
        as caller: CallerIdentity,
        within budget: QueryBudget,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try enter(caller)
        defer { leave(caller) }
        if !budget.isSlow {
            do {
                return try await runQuick(as: caller, within: budget, body)
            } catch is QueryBudget.SliceEnded {
                // The following queries of a batch are probably as slow as the first.
                budget.slowDown()
            }
        }
        defer { budget.unwatchCaller() }
        budget.watchCaller()
        try await takeSlow(for: caller)
        defer { slow.giveBack() }
        return try await body()
    }

    private func runQuick<Result: Sendable>(
        as caller: CallerIdentity,
        within budget: QueryBudget,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await quick.take(for: caller)
        let lane = Lane(holding: quick)
        defer {
            lane.release()
            budget.unwatchCaller()
        }
        budget.limit(
            to: QueryBudget.Slice(milliseconds: limits.slice) { [limits, quick, slow] in
                // A restart repeats the work of the slice, so the query continues where no other query would gain by
                // the restart.
                guard quick.freeCount == limits.quick - 1, slow.takeFree() else { return false }
                lane.change(to: slow)
                budget.watchCaller()
                return true
            }
        )
        return try await body()
    }

    /// Waits for the slow lane with a timeout: a late response is of no use to the client.
    private func takeSlow(for caller: CallerIdentity) async throws {
        let waiting = Task { [slow] in try await slow.take(for: caller) }
        let timer = Task { [limits] in
            try await Task.sleep(for: .seconds(limits.wait))
            waiting.cancel()
        }
        defer { timer.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await waiting.value
            } onCancel: {
                waiting.cancel()
            }
        } catch is CancellationError {
            try Task.checkCancellation()
            throw ServiceError(
                .overloaded,
                "Other slow queries are running, and this one would take longer than \(limits.slice) milliseconds. "
                    + "Try again, or add an index for it.",
                limit: "database.readers"
            )
        }
    }

    private func enter(_ caller: CallerIdentity) throws {
        let isAdmitted = running.withLock { running in
            guard running[caller, default: 0] < limits.perCaller else { return false }
            running[caller, default: 0] += 1
            return true
        }
        guard isAdmitted else {
            throw ServiceError(
                .overloaded,
                "\(limits.perCaller) queries of this caller are running or waiting, the limit (queries.maxConcurrent).",
                limit: "queries.maxConcurrent"
            )
        }
    }

    private func leave(_ caller: CallerIdentity) {
        running.withLock { running in
            let rest = running[caller, default: 1] - 1
            running[caller] = rest > 0 ? rest : nil
        }
    }
}

/// The permit that one query holds.
private final class Lane: Sendable {
    private let held: Mutex<FairPermits<CallerIdentity>?>

    init(holding permits: FairPermits<CallerIdentity>) {
        held = Mutex(permits)
    }

    /// Replaces the held permit by one that was taken, and returns the held one.
    func change(to permits: FairPermits<CallerIdentity>) {
        held.withLock { held in
            defer { held = permits }
            return held
        }?.giveBack()
    }

    /// Returns the permit, if one is held.
    func release() {
        held.withLock { held in
            defer { held = nil }
            return held
        }?.giveBack()
    }
}
