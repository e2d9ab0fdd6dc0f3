internal import Dispatch
internal import Synchronization

/// The time that remains for all queries of one request.
///
/// All work of a query checks it: SQLite between its instructions, matching between values, a regular expression
/// between its steps, a reply between its objects. Time counts only while a store runs a body, not while a query waits
/// for a connection, and all queries of a batch share one budget.
///
/// Thread-safe; at most one body runs within it at a time.
package final class QueryBudget: Sendable {
    private struct State {
        /// The remaining nanoseconds while no body runs.
        var remaining: UInt64
        /// The time at which the running body must end; `nil` while none runs.
        var deadline: UInt64?
        var slice: Slice?
        /// The time at which the slice ends; `nil` without a slice.
        var sliceEnd: UInt64?
        /// The error that ``check()`` throws from now on, without reading the clock.
        var failure: (any Error)?
        /// Whether bodies run as slow queries.
        var isSlow = false
        /// Whether ``presence`` is watched.
        var isWatched = false
    }

    /// A first part of the budget; at its end, admission decides whether the body continues.
    package struct Slice: Sendable {
        let nanoseconds: UInt64
        let goesOn: @Sendable () -> Bool

        /// - Parameters:
        ///   - milliseconds: The length of the slice.
        ///   - goesOn: Called at its end, at most once; `false` makes ``QueryBudget/check()`` throw ``SliceEnded``.
        package init(milliseconds: Int, goesOn: @escaping @Sendable () -> Bool) {
            nanoseconds = UInt64(milliseconds) * 1_000_000
            self.goesOn = goesOn
        }
    }

    /// The error at the end of a slice that is not extended; the body has to run again.
    package struct SliceEnded: Error {}

    /// The results of sub-queries in conditions that the request keeps together, up to the transaction for all of them.
    let conditions = SubqueryMemory()

    private let refusal: @Sendable () -> any Error
    private let presence: (any CallerPresence)?
    private let state: Mutex<State>
    /// The earliest time at which ``check()`` has to do more than read the clock.
    private let alarm = Atomic<UInt64>(.max)

    /// - Parameters:
    ///   - milliseconds: The time limit of all bodies together.
    ///   - refusal: The error that ``check()`` throws after that time; made only then, because few requests need it.
    ///   - presence: Ends the bodies of a slow query when its client disconnects; without it they run to their end.
    package init(
        milliseconds: Int,
        refusal: @autoclosure @escaping @Sendable () -> any Error,
        presence: (any CallerPresence)? = nil
    ) {
        self.refusal = refusal
        self.presence = presence
        state = Mutex(State(remaining: UInt64(milliseconds) * 1_000_000))
    }

    /// Creates the budget of a request: `queries.timeout`, and ``ServiceError/Code/timedOut`` after it.
    package convenience init(seconds: Int, presence: (any CallerPresence)? = nil) {
        self.init(
            milliseconds: seconds * 1000,
            refusal: ServiceError(
                .timedOut,
                "The query ran longer than \(seconds) seconds, the limit (queries.timeout)."
            ),
            presence: presence
        )
    }

    /// Throws if the budget is spent, the request was cancelled, or the slice ended; usually only reads the clock.
    package func check() throws {
        let now = QueryBudget.now
        guard now >= alarm.load(ordering: .relaxed) else { return }
        let ended = try state.withLock { state -> Slice? in
            if let failure = state.failure { throw failure }
            if let deadline = state.deadline, now >= deadline {
                let failure = refusal()
                state.failure = failure
                throw failure
            }
            guard let end = state.sliceEnd, now >= end else { return nil }
            state.sliceEnd = nil
            alarm.store(state.deadline ?? .max, ordering: .relaxed)
            return state.slice
        }
        guard let ended, !ended.goesOn() else { return }
        fail(SliceEnded())
        throw SliceEnded()
    }

    /// Whether ``check()`` throws; for callbacks of C.
    package var isSpent: Bool {
        do {
            try check()
            return false
        } catch {
            return true
        }
    }

    /// Makes ``check()`` throw `CancellationError` from now on.
    package func cancel() {
        fail(CancellationError())
    }

    /// Runs a body and counts its time; stores call it around each body on one of their threads.
    package func counting<Result>(_ body: () throws -> Result) throws -> Result {
        let began = QueryBudget.now
        try state.withLock { state in
            // The end of a slice concerns only the previous attempt.
            if state.failure is SliceEnded { state.failure = nil }
            if let failure = state.failure { throw failure }
            guard state.remaining > 0 else { throw refusal() }
            let deadline = began.addingReportingOverflow(state.remaining)
            state.deadline = deadline.overflow ? .max : deadline.partialValue
            state.sliceEnd = state.slice.map { began + $0.nanoseconds }
            alarm.store(min(state.deadline ?? .max, state.sliceEnd ?? .max), ordering: .relaxed)
        }
        defer {
            state.withLock { state in
                let spent = QueryBudget.now - began
                state.remaining -= min(spent, state.remaining)
                state.deadline = nil
                state.sliceEnd = nil
                alarm.store(state.failure == nil ? .max : 0, ordering: .relaxed)
            }
        }
        return try body()
    }

    /// Sets the slice of the next bodies; `nil` removes it.
    func limit(to slice: Slice?) {
        state.withLock { $0.slice = slice }
    }

    /// Whether the next body belongs to a slow query, which a store runs on threads of lower priority.
    package var isSlow: Bool { state.withLock(\.isSlow) }

    /// Marks the next bodies as a slow query's, which run to their end without slices.
    package func slowDown() {
        state.withLock { state in
            state.isSlow = true
            state.slice = nil
        }
    }

    /// Ends the bodies when the client disconnects, until ``unwatchCaller()``.
    ///
    /// Only for slow queries: a quick one ends before the connection's event loop could report it.
    func watchCaller() {
        guard let presence else { return }
        let isFirst = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isFirst { presence.watch { [weak self] in self?.cancel() } }
    }

    /// Stops watching the client, if ``watchCaller()`` started it.
    func unwatchCaller() {
        let wasWatched = state.withLock { state in
            defer { state.isWatched = false }
            return state.isWatched
        }
        if wasWatched { presence?.unwatch() }
    }

    private func fail(_ error: any Error) {
        state.withLock { state in
            if state.failure == nil || error is CancellationError { state.failure = error }
            alarm.store(0, ordering: .relaxed)
        }
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
