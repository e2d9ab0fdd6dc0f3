package import Domain
internal import Synchronization

/// What the servers of a ``MemoryObjectStore`` agree on; its faults are those of a database.
package final class MemoryCoordination: ServerCoordination {
    private struct State {
        var leases: [LeasedJob: (holder: String, end: ContinuousClock.Instant)] = [:]
        var locked: Set<String> = []
        var waiting = 0
        var failure: (any Error)?
        var knowsCallers = true
        var asked = 0
        var renewals = 0
    }

    private let state = Mutex(State())

    /// Creates one without leases and locks.
    package init() {}

    /// The error that all calls throw, as without a connection.
    package var failure: (any Error)? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    /// Whether the changes that concern callers are published.
    package var knowsCallers: Bool {
        get { state.withLock(\.knowsCallers) }
        set { state.withLock { $0.knowsCallers = newValue } }
    }

    /// How often a server asked for them.
    package var askedForCallers: Int { state.withLock(\.asked) }

    /// How often a holder took a lease that it had.
    package var renewals: Int { state.withLock(\.renewals) }

    /// The number of calls that wait for a lock.
    package var waitingForLocks: Int { state.withLock(\.waiting) }

    /// The holder of a lease that is not over.
    package func holder(of job: LeasedJob) -> String? {
        state.withLock { $0.leases[job].flatMap { $0.end > .now ? $0.holder : nil } }
    }

    /// Gives a lease to a holder, also if another one has it.
    package func give(_ job: LeasedJob, to holder: String, for time: Duration) {
        state.withLock { $0.leases[job] = (holder, .now + time) }
    }

    package func take(
        _ jobs: Set<LeasedJob>,
        for holder: String,
        lasting time: Duration
    ) throws -> Set<LeasedJob> {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            let free = jobs.filter { job in
                state.leases[job].map { $0.holder == holder || $0.end <= .now } ?? true
            }
            for job in free {
                if state.leases[job]?.holder == holder { state.renewals += 1 }
                state.leases[job] = (holder, .now + time)
            }
            return free
        }
    }

    package func release(_ jobs: Set<LeasedJob>, of holder: String) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            for job in jobs where state.leases[job]?.holder == holder { state.leases[job] = nil }
        }
    }

    package func lock(_ names: [String], _ scope: LockScope) async throws {
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        while true {
            let isLocked = try state.withLock { state in
                if let failure = state.failure { throw failure }
                let own = names.map { "\(scope) \($0)" }
                guard state.locked.isDisjoint(with: own) else { return false }
                state.locked.formUnion(own)
                return true
            }
            if isLocked { return }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    package func unlock(_ names: [String], _ scope: LockScope) {
        state.withLock { $0.locked.subtract(names.map { "\(scope) \($0)" }) }
    }

    package func hasPublishedCallers() throws -> Bool {
        try state.withLock { state in
            state.asked += 1
            if let failure = state.failure { throw failure }
            return state.knowsCallers
        }
    }
}
