package import Logging
internal import Synchronization

/// The leases of one app that this server has or waits for (docs/scale-out.md).
///
/// ``run()`` takes and renews them, all in one call of the store; ``holding(_:recovering:_:)`` does the work of one.
/// A server counts its time from before it asked, and stops a margin before the end. So two servers do one job at a time,
/// unless one of them is suspended: it can only find out when it continues. Rows that workers change in the meantime
/// have guards of their own.
package final class Leases: Sendable {
    /// The durations of leases.
    package struct Times: Sendable {
        /// How long a lease lasts without a renewal: the time until another server continues after a kill.
        package var lease: Duration
        /// The time between two renewals.
        package var renewal: Duration
        /// The time before the end of a lease in which its work stops.
        package var margin: Duration
        /// The time between two attempts to take leases of other servers.
        package var poll: Duration

        /// Creates durations; the defaults are those of a server.
        package init(
            lease: Duration = .seconds(13),
            renewal: Duration = .seconds(4),
            margin: Duration = .seconds(3),
            poll: Duration = .seconds(1)
        ) {
            self.lease = lease
            self.renewal = renewal
            self.margin = margin
            self.poll = poll
        }
    }

    private enum Phase {
        case wanted
        case held(until: ContinuousClock.Instant, renewal: ContinuousClock.Instant)
        /// The lease is lost, and its work comes to its end.
        case ending
    }

    private struct Entry {
        var phase = Phase.wanted
        /// Wakes the task that waits for the lease, or for its loss.
        let changed = WakeSignal()
    }

    private let coordination: (any ServerCoordination)?
    private let app: AppID
    private let times: Times
    private let logger: Logger?
    private let holder: String
    private let ended: Mutex<Set<String>>
    private let state = Mutex<[LeasedJob: Entry]>([:])
    private let isFailing = Atomic(false)
    private let wanted = WakeSignal()

    /// - Parameters:
    ///   - coordination: The store's; `nil` for a store that is not shared, whose server has all leases.
    ///   - app: The app, for the log.
    ///   - holder: The name of this server, which no other start has.
    ///   - ended: The names of servers that have ended for certain, and need their leases no more.
    ///   - times: The durations.
    ///   - logger: Logs what this server takes and loses.
    package init(
        _ coordination: (any ServerCoordination)?,
        of app: AppID,
        as holder: String = RandomString.lowercase(16),
        replacing ended: Set<String> = [],
        times: Times = Times(),
        logger: Logger? = nil
    ) {
        self.coordination = coordination
        self.app = app
        self.holder = holder
        self.ended = Mutex(ended)
        self.times = times
        self.logger = logger
    }

    /// Whether other servers can have leases.
    package var areShared: Bool { coordination != nil }

    /// Runs a body while this server has a lease, and again each time it gets it back.
    ///
    /// Without other servers it runs at once and once. Call this once at a time for each job.
    ///
    /// - Parameters:
    ///   - job: The work.
    ///   - recover: Called before each body, until it succeeds: takes over what the last holder left. Not called without
    ///     other servers, whose start does that.
    ///   - body: The work; its task is cancelled when the lease is lost, and it must then end within the margin. If it
    ///     returns by itself, the lease is given back and the call returns.
    package func holding(
        _ job: LeasedJob,
        recovering recover: (@Sendable () async throws -> Void)? = nil,
        _ body: @escaping @Sendable () async -> Void
    ) async {
        guard let coordination else { return await body() }
        let entry = Entry()
        state.withLock { $0[job] = entry }
        var wasHeld = false
        while !Task.isCancelled {
            guard heldUntil(job) != nil else {
                wanted.set()
                await entry.changed.wait()
                continue
            }
            wasHeld = true
            log(.info, "This server does work that one server does at a time", job)
            let hasReturned = await whileHeld(job, entry.changed) { [self] in
                if await recovered(job, recover) { await body() }
            }
            if hasReturned { break }
            log(.warning, "This server has lost a lease and stops its work", job)
            state.withLock { $0[job]?.phase = .wanted }
        }
        state.withLock { $0[job] = nil }
        guard wasHeld else { return }
        // Without success the lease ends by itself.
        _ = try? await shieldedFromCancellation { [holder] in try await coordination.release([job], of: holder) }
    }

    /// Takes and renews the leases of all ``holding(_:recovering:_:)``, until the task is cancelled; call it once, and
    /// cancel it after them.
    package func run() async {
        guard let coordination else { return }
        while !Task.isCancelled {
            await renew(coordination)
            await wanted.wait(until: .now + times.poll)
        }
    }

    /// Runs a body until it returns, the lease is lost, or the task is cancelled.
    ///
    /// - Returns: Whether the body returned while this server had the lease.
    private func whileHeld(
        _ job: LeasedJob,
        _ changed: WakeSignal,
        _ body: @escaping @Sendable () async -> Void
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await body()
                return true
            }
            group.addTask {
                await self.waitForLoss(of: job, changed)
                return false
            }
            let hasReturned = await group.next() ?? true
            // A stop of the server is no loss: the lease is renewed until the work has come to its end.
            let isLost = !hasReturned && !Task.isCancelled
            if isLost { state.withLock { $0[job]?.phase = .ending } }
            group.cancelAll()
            await group.waitForAll()
            return !isLost
        }
    }

    private func waitForLoss(of job: LeasedJob, _ changed: WakeSignal) async {
        while !Task.isCancelled, let end = heldUntil(job), end > .now {
            await changed.wait(until: end)
        }
    }

    private func heldUntil(_ job: LeasedJob) -> ContinuousClock.Instant? {
        guard case .held(let end, _)? = state.withLock({ $0[job]?.phase }) else { return nil }
        return end
    }

    /// Calls a recovery until it succeeds; returns `false` if the task is cancelled before.
    private func recovered(_ job: LeasedJob, _ recover: (@Sendable () async throws -> Void)?) async -> Bool {
        guard let recover else { return true }
        var backoff = Backoff(first: .milliseconds(200), max: .seconds(10))
        var isFirst = true
        while !Task.isCancelled {
            do {
                try await recover()
                return true
            } catch {
                if isFirst { log(.warning, "What another server left cannot be taken over yet", job, error) }
                isFirst = false
                try? await Task.sleep(for: backoff.next())
            }
        }
        return false
    }

    /// Takes the leases for which work waits, and renews those that are due.
    private func renew(_ coordination: any ServerCoordination) async {
        let start = ContinuousClock.now
        let due = state.withLock { entries in
            Set(
                entries.compactMap { job, entry in
                    switch entry.phase {
                    case .wanted: job
                    case .held(_, let renewal): renewal <= start ? job : nil
                    case .ending: nil
                    }
                }
            )
        }
        guard !due.isEmpty else { return }
        do {
            for former in ended.withLock(\.self) {
                try await coordination.release(Set(LeasedJob.allCases), of: former)
                ended.withLock { _ = $0.remove(former) }
            }
            let taken = try await coordination.take(due, for: holder, lasting: times.lease)
            isFailing.store(false, ordering: .relaxed)
            let unused = state.withLock { entries in
                due.filter { job in
                    guard entries[job] != nil else { return taken.contains(job) }
                    note(taken.contains(job), of: &entries[job], since: start)
                    return false
                }
            }
            // Their work ended during the call.
            if !unused.isEmpty {
                try await shieldedFromCancellation { [holder] in try await coordination.release(unused, of: holder) }
            }
        } catch {
            guard !Task.isCancelled, !isFailing.exchange(true, ordering: .relaxed) else { return }
            log(.warning, "Leases cannot be taken or renewed; this is tried again", nil, error)
        }
    }

    private func note(_ isTaken: Bool, of entry: inout Entry?, since start: ContinuousClock.Instant) {
        guard let phase = entry?.phase else { return }
        let held = Phase.held(until: start + times.lease - times.margin, renewal: start + times.renewal)
        switch phase {
        case .wanted:
            guard isTaken else { return }
            entry?.phase = held
            entry?.changed.set()
        case .held(let end, _):
            if isTaken {
                // One that was over before its renewal stays lost: another server can have had it meanwhile.
                if end > .now { entry?.phase = held }
            } else {
                entry?.phase = .ending
                entry?.changed.set()
            }
        case .ending: return
        }
    }

    private func log(_ level: Logger.Level, _ message: String, _ job: LeasedJob?, _ error: (any Error)? = nil) {
        var metadata: Logger.Metadata = ["app": "\(app)"]
        if let job { metadata["work"] = "\(job.rawValue)" }
        if let error { metadata["error"] = "\(error.logged)" }
        logger?.log(level: level, "\(message)", metadata: metadata)
    }
}
