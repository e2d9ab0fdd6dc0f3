internal import Dispatch
internal import Synchronization

/// How long the queries of one request may still run.
///
/// Everything that a query makes the server do checks it: SQLite between its instructions, matching between values, a
/// regular expression between its steps, a reply between its objects. It counts only while a store runs a body, so that
/// waiting for a connection costs nothing, and it is one for all queries of a batch.
///
/// May be used from any thread; at most one body runs within it at a time.
package final class QueryBudget: Sendable {
    private struct State {
        /// Nanoseconds that are left when nothing runs.
        var remaining: UInt64
        /// When the body that runs must end; `nil` while none does.
        var deadline: UInt64?
        var slice: Slice?
        /// When the slice ends; `nil` without one.
        var sliceEnd: UInt64?
        /// What ``check()`` throws from now on, without a look at the clock.
        var failure: (any Error)?
        /// Whether bodies run among slow queries.
        var isSlow = false
        /// Whether ``presence`` is watched.
        var isWatched = false
    }

    /// A first part of the budget, at whose end the admission decides whether the body goes on.
    package struct Slice: Sendable {
        let nanoseconds: UInt64
        let goesOn: @Sendable () -> Bool

        /// - Parameters:
        ///   - milliseconds: How long the slice is.
        ///   - goesOn: Called at its end, at most once; `false` makes ``QueryBudget/check()`` throw ``SliceEnded``.
        package init(milliseconds: Int, goesOn: @escaping @Sendable () -> Bool) {
            nanoseconds = UInt64(milliseconds) * 1_000_000
            self.goesOn = goesOn
        }
    }

    /// Thrown at the end of a slice that is not extended; the body has to run again.
    package struct SliceEnded: Error {}

    private let refusal: any Error
    private let presence: (any CallerPresence)?
    private let state: Mutex<State>
    /// Before this moment ``check()`` has nothing to look at but the clock.
    private let alarm = Atomic<UInt64>(.max)

    /// - Parameters:
    ///   - milliseconds: How long bodies may run, together.
    ///   - refusal: What ``check()`` throws then.
    ///   - presence: Ends the bodies of a slow query when its caller goes; without it they run to their end.
    package init(milliseconds: Int, refusal: any Error, presence: (any CallerPresence)? = nil) {
        self.refusal = refusal
        self.presence = presence
        state = Mutex(State(remaining: UInt64(milliseconds) * 1_000_000))
    }

    /// The budget of a request: `queries.timeout`, beyond it ``ServiceError/Code/timedOut``.
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

    /// Throws once the budget is spent, the request was cancelled, or the slice ended; costs a look at the clock.
    package func check() throws {
        let now = QueryBudget.now
        guard now >= alarm.load(ordering: .relaxed) else { return }
        let ended = try state.withLock { state -> Slice? in
            if let failure = state.failure { throw failure }
            if let deadline = state.deadline, now >= deadline {
                state.failure = refusal
                throw refusal
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

    /// Runs a body whose time counts; stores call it around each body that runs on one of their threads.
    package func counting<Result>(_ body: () throws -> Result) throws -> Result {
        let began = QueryBudget.now
        try state.withLock { state in
            // A slice that ended belongs to the attempt before.
            if state.failure is SliceEnded { state.failure = nil }
            if let failure = state.failure { throw failure }
            guard state.remaining > 0 else { throw refusal }
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

    /// Sets the slice of the next bodies, or none.
    func limit(to slice: Slice?) {
        state.withLock { $0.slice = slice }
    }

    /// Whether the next body belongs to a slow query, which a store runs on threads of lower priority.
    package var isSlow: Bool { state.withLock(\.isSlow) }

    /// Makes the next bodies those of a slow query, which run to their end without slices.
    package func slowDown() {
        state.withLock { state in
            state.isSlow = true
            state.slice = nil
        }
    }

    /// Ends the bodies when the caller goes, until ``unwatchCaller()``; a query that is not slow ends sooner by itself
    /// than the connection's event loop is told.
    func watchCaller() {
        guard let presence else { return }
        let isFirst = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isFirst { presence.watch { [weak self] in self?.cancel() } }
    }

    /// Ends what ``watchCaller()`` began, if it did.
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
