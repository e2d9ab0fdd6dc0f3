package import Logging
internal import Synchronization

/// The workers of one app's queue of mails or of SMS (docs/accounts.md).
///
/// A message is a row, written in the transaction that causes it. A worker leases it and makes its secret part in one
/// transaction, sends it without one, and deletes the row if the lease is still its own. So a kill loses no message; one
/// that was accepted in the moment of the kill is sent twice.
package final class DeliveryQueue<Work: DeliveryWork>: Sendable {
    let app: AppID
    let store: any ObjectStore
    let work: Work
    let clock: @Sendable () -> Timestamp
    let logger: Logger?
    let unknownLeases = Mutex<Set<String>>([])
    private let signals: [WakeSignal]
    private let state: Mutex<State>

    private struct State {
        /// The pauses while no message can be sent.
        var backoff = Backoff(first: .seconds(1), max: .seconds(60))
        /// Until when no message is sent.
        var pauseEnd: ContinuousClock.Instant?
        /// Whether a failure was logged since the last message was sent.
        var isFailing = false
        /// When expired rows are deleted next.
        var sweep = ContinuousClock.now
    }

    /// - Parameters:
    ///   - app: The app, for the log.
    ///   - store: Contains the queue.
    ///   - work: What to do with a message.
    ///   - clock: Returns the current time.
    ///   - logger: Logs outages and dead letters.
    package init(
        app: AppID,
        store: any ObjectStore,
        work: Work,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        logger: Logger? = nil
    ) {
        self.app = app
        self.store = store
        self.work = work
        self.clock = clock
        self.logger = logger
        let signals = (0..<max(1, work.settings.workers)).map { _ in WakeSignal() }
        self.signals = signals
        state = Mutex(State())
        store.changes.subscribe(to: [ChangeFilter(Work.Message.queue, [.created, .updated])]) { _ in
            for signal in signals { signal.set() }
        }
    }

    /// The time between two deletions of expired rows.
    private static var sweepInterval: Duration { .seconds(3600) }

    /// Works through the queue, and through messages that are added later, until the task is cancelled; one call at a
    /// time, of all servers.
    ///
    /// - Parameter report: Called after each attempt to send a message.
    package func run(_ report: @escaping @Sendable (DeliveryOutcome) -> Void) async {
        await withDiscardingTaskGroup { group in
            for signal in signals { group.addTask { await self.run(signal, report) } }
        }
    }

    /// Sends the next message that is due.
    ///
    /// - Returns: What became of it; `nil` if none is due.
    /// - Throws: Errors of the store, and `CancellationError`.
    package func step() async throws -> DeliveryOutcome? {
        let now = clock()
        guard let (message, secret) = try await lease(at: now) else { return nil }
        do {
            try await work.send(message, secret, at: now)
        } catch {
            return try await settling { try await self.handle(error, of: message) }
        }
        try await settling { try await self.finish(message) }
        noteSuccess()
        return .sent
    }

    /// Writes what became of a message, again and again while the store cannot be reached.
    ///
    /// Otherwise the row would stay leased for longer than an attempt can take, and a message that was sent would then be
    /// sent again.
    private func settling<Result: Sendable>(
        _ write: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        var backoff = Backoff(first: .milliseconds(100), max: .seconds(5))
        while true {
            do {
                return try await shieldedFromCancellation { try await write() }
            } catch let error as ServiceError where [.unavailable, .storageReadOnly].contains(error.code) {
                note("The \(Work.words.one) queue cannot go on; this is tried again", "\(error.cause ?? error)")
                try await Task.sleep(for: backoff.next())
            }
        }
    }

    private func run(_ signal: WakeSignal, _ report: @Sendable (DeliveryOutcome) -> Void) async {
        var backoff = Backoff(first: .seconds(1), max: .seconds(60))
        while !Task.isCancelled {
            do {
                try await giveBackUnknown()
                try await sweep()
                while true {
                    if let end = state.withLock(\.pauseEnd), end > .now {
                        try await Task.sleep(until: end, clock: .continuous)
                    }
                    guard let outcome = try await step() else { break }
                    report(outcome)
                }
                backoff.reset()
                let due = try await nextDue()
                let wait = due.map { Duration.milliseconds(max(10, $0.milliseconds - clock().milliseconds)) }
                await signal.wait(until: .now + min(wait ?? Self.sweepInterval, Self.sweepInterval))
            } catch is CancellationError {
                return
            } catch {
                note("The \(Work.words.one) queue cannot go on; this is tried again", "\(error.logged)")
                try? await Task.sleep(for: backoff.next())
            }
        }
    }

    /// When the next waiting message is due, leased ones included; `nil` if none waits.
    private func nextDue() async throws -> Timestamp? {
        try await store.read { reader in
            let waiting = Work.Message.has(.waiting)
            let first = ObjectQuery(Work.Message.queue, where: waiting, order: Work.Message.order, page: .first)
            return try reader.find(first).first?.updatedAt
        }
    }

    /// Makes a failed message due again, or a dead letter.
    private func handle(_ error: any Error, of message: Work.Message) async throws -> DeliveryOutcome {
        let now = clock()
        let failure = error as? DeliveryFailure
        // A stop of the server is no failure of the message.
        let isStop = error is CancellationError
        let attempts = message.attempts + (isStop ? 0 : 1)
        let isDead = !isStop && (failure?.kind == .refused || now >= work.end(of: message))
        let reason =
            failure?.description ?? "The \(Work.words.one) cannot be sent because of an internal error."
        let pause = isStop ? 0 : work.settings.pause(afterFailures: attempts)
        try await store.write { writer in
            guard var row = try writer.leased(message) else { return }
            row.lease = nil
            row.turn.attempts = attempts
            if !isStop { row.turn.failure = reason }
            row.state = isDead ? .dead : .waiting
            row.due = isDead ? now : now.adding(milliseconds: pause)
            try writer.update(row.object, in: Work.Message.queue)
        }
        if isStop { throw CancellationError() }
        if failure?.kind == .unavailable {
            state.withLock { $0.pauseEnd = .now + $0.backoff.next() }
        }
        if isDead {
            logger?.error(
                "\(Work.words.oneAtStart) was not delivered and is given up; '\(Work.words.command)' sends it again",
                metadata: ["app": "\(app)", "message": "\(message.id)", "error": "\(reason)"]
            )
            return .dead
        }
        note("\(Work.words.oneAtStart) was not sent; this is tried again", failure?.description ?? "\(error)")
        return .failed
    }

    /// Logs the first failure since a message was last sent.
    private func note(_ message: Logger.Message, _ error: String) {
        let isFirst = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isFirst { logger?.warning(message, metadata: ["app": "\(app)", "error": "\(error)"]) }
    }

    private func noteSuccess() {
        let wasFailing = state.withLock { state in
            defer { state.isFailing = false }
            state.backoff.reset()
            state.pauseEnd = nil
            return state.isFailing
        }
        if wasFailing { logger?.notice("\(Work.words.manyAtStart) are sent again", metadata: ["app": "\(app)"]) }
    }

    /// Deletes expired rows and old dead letters, once an hour.
    private func sweep() async throws {
        let isDue = state.withLock { state in
            guard state.sweep <= .now else { return false }
            state.sweep = .now + Self.sweepInterval
            return true
        }
        guard isDue else { return }
        try await deleteExpired()
    }

    /// Deletes what has ended beside the queue, and dead letters whose time is over.
    package func deleteExpired() async throws {
        let now = clock()
        let oldest = now.adding(seconds: -work.settings.deadLetterLifetime)
        let dead = (name: Work.Message.queue, condition: Work.Message.has(.dead, before: oldest))
        for (name, condition) in work.expired(at: now) + [dead] {
            var isMore = true
            while isMore {
                isMore = try await store.write { writer in
                    let ids = try writer.rows(ObjectQuery(name, where: condition, page: Page(first: 500))).map(\.id)
                    try writer.delete(ids, in: name)
                    return ids.count == 500
                }
            }
        }
    }
}
