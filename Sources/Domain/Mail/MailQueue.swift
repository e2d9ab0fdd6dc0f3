package import Logging
internal import Synchronization

/// The workers of one app's mail queue (docs/accounts.md, "Mail").
///
/// A mail is a row, written in the transaction that causes it. A worker leases it and makes its link in one
/// transaction, sends it without one, and deletes the row if the lease is still its own. So a kill loses no mail; a mail
/// that the mail server accepted in the moment of the kill is sent twice.
package final class MailQueue: Sendable {
    let app: AppID
    let store: any ObjectStore
    let settings: MailSettings
    let composer: MailComposer
    let sender: any MailSender
    let ids: ObjectIDGenerator
    let clock: @Sendable () -> Timestamp
    let logger: Logger?
    private let signals: [WakeSignal]
    private let state: Mutex<State>

    private struct State {
        /// The pauses while no mail can be sent.
        var backoff = Backoff(first: .seconds(1), max: .seconds(60))
        /// Until when no mail is sent.
        var pauseEnd: ContinuousClock.Instant?
        /// Whether a failure was logged since the last mail was sent.
        var isFailing = false
        /// When expired rows are deleted next.
        var sweep = ContinuousClock.now
    }

    /// - Parameters:
    ///   - app: The app, for the log.
    ///   - store: Contains the queue.
    ///   - settings: The settings of mails.
    ///   - composer: Makes the messages.
    ///   - sender: Sends them.
    ///   - ids: Generates ids of rows.
    ///   - clock: Returns the current time.
    ///   - logger: Logs outages of the mail server, and dead letters.
    package init(
        app: AppID,
        store: any ObjectStore,
        settings: MailSettings,
        composer: MailComposer,
        sender: any MailSender,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        logger: Logger? = nil
    ) {
        self.app = app
        self.store = store
        self.settings = settings
        self.composer = composer
        self.sender = sender
        self.ids = ids
        self.clock = clock
        self.logger = logger
        let signals = (0..<max(1, settings.workers)).map { _ in WakeSignal() }
        self.signals = signals
        state = Mutex(State())
        store.changes.subscribe(to: [ChangeFilter(.mail, [.created, .updated])]) { _ in
            for signal in signals { signal.set() }
        }
    }

    /// The time between two deletions of expired rows.
    private static let sweepInterval: Duration = .seconds(3600)

    /// Gives back the mails that an earlier process of this server leased; call it once, before ``run(_:)``.
    package func recover() async throws {
        let now = clock()
        try await store.write { writer in
            let isLeased = Condition.field(FieldPath(field: "lease"), .exists(true))
            for row in try writer.find(ObjectQuery(.mail, where: isLeased, page: .all)) {
                guard var mail = QueuedMail(row) else { continue }
                mail.lease = nil
                mail.due = now
                try writer.update(mail.object, in: .mail, from: row)
            }
        }
    }

    /// Works through the queue, and through mails that are added later, until the task is cancelled; call it once.
    ///
    /// - Parameter report: Called after each mail, and when none is due.
    package func run(_ report: @escaping @Sendable (MailProgress) -> Void) async {
        await withDiscardingTaskGroup { group in
            for signal in signals { group.addTask { await self.run(signal, report) } }
        }
    }

    /// Sends the next mail that is due.
    ///
    /// - Returns: What became of it; `nil` if none is due.
    /// - Throws: Errors of the store, and `CancellationError`.
    package func step() async throws -> MailOutcome? {
        let now = clock()
        let lease = RandomString.lowercase(16)
        let leased = try await store.write { [settings, ids] writer in
            // Longer than an attempt can take, whose limit is a setting of at most ten minutes.
            let end = now.adding(seconds: 1200)
            return try writer.leaseMail(as: lease, at: now, until: end, settings, ids: ids)
        }
        guard let (mail, token) = leased else { return nil }
        do {
            try await sender.send(try composer.message(mail, token, at: now))
        } catch {
            return try await shieldedFromCancellation { try await self.handle(error, of: mail) }
        }
        try await shieldedFromCancellation { try await self.finish(mail) }
        noteSuccess()
        return .sent
    }

    private func run(_ signal: WakeSignal, _ report: @Sendable (MailProgress) -> Void) async {
        var backoff = Backoff(first: .seconds(1), max: .seconds(60))
        while !Task.isCancelled {
            do {
                try await sweep()
                while true {
                    if let end = state.withLock(\.pauseEnd), end > .now {
                        report(try await progress())
                        try await Task.sleep(until: end, clock: .continuous)
                    }
                    guard let outcome = try await step() else { break }
                    report(try await progress(after: outcome))
                }
                report(try await progress())
                backoff.reset()
                let due = try await store.read { try $0.nextMailDue() }
                let wait = due.map { Duration.milliseconds(max(10, $0.milliseconds - clock().milliseconds)) }
                await signal.wait(until: .now + min(wait ?? Self.sweepInterval, Self.sweepInterval))
            } catch is CancellationError {
                return
            } catch {
                note("The mail queue cannot go on; this is tried again", "\((error as? ServiceError)?.cause ?? error)")
                try? await Task.sleep(for: backoff.next())
            }
        }
    }

    private func finish(_ mail: QueuedMail) async throws {
        try await store.write { writer in
            if try writer.leased(mail) != nil { _ = try writer.delete(mail.id, in: .mail) }
        }
    }

    /// Makes a failed mail due again, or a dead letter.
    private func handle(_ error: any Error, of mail: QueuedMail) async throws -> MailOutcome {
        let now = clock()
        let failure = error as? MailFailure
        // A stop of the server is no failure of the mail.
        let isStop = error is CancellationError
        let attempts = mail.attempts + (isStop ? 0 : 1)
        let isOver = now.milliseconds - mail.since.milliseconds >= Int64(settings.giveUpAfter) * 1000
        let isDead = !isStop && (failure?.kind == .refused || isOver)
        let message = failure?.description ?? "The mail cannot be sent because of an internal error."
        let pause = isStop ? 0 : settings.pause(afterFailures: attempts)
        try await store.write { writer in
            guard var row = try writer.leased(mail) else { return }
            row.lease = nil
            row.attempts = attempts
            if !isStop { row.failure = message }
            row.state = isDead ? .dead : .waiting
            row.due = isDead ? now : now.adding(milliseconds: pause)
            try writer.update(row.object, in: .mail)
        }
        if isStop { throw CancellationError() }
        if failure?.kind == .unavailable {
            state.withLock { $0.pauseEnd = .now + $0.backoff.next() }
        }
        if isDead {
            logger?.error(
                "A mail was not delivered and is given up; 'lcfile mail retry' sends it again",
                metadata: ["app": "\(app)", "mail": "\(mail.id)", "error": "\(message)"]
            )
            return .dead
        }
        note("A mail was not sent; this is tried again", failure?.description ?? "\(error)")
        return .failed
    }

    /// Logs the first failure since a mail was last sent.
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
        if wasFailing { logger?.notice("Mails are sent again", metadata: ["app": "\(app)"]) }
    }

    /// Deletes expired links and old dead letters, once an hour.
    private func sweep() async throws {
        let isDue = state.withLock { state in
            guard state.sweep <= .now else { return false }
            state.sweep = .now + Self.sweepInterval
            return true
        }
        guard isDue else { return }
        try await deleteExpired()
    }

    /// Deletes links that have ended, and dead letters whose time is over.
    package func deleteExpired() async throws {
        let now = clock()
        let oldest = now.adding(seconds: -settings.deadLetterLifetime)
        let expired = [
            (ClassName.mailLink, MailLink.isExpired(at: now)), (.mail, QueuedMail.has(.dead, before: oldest)),
        ]
        for (name, condition) in expired {
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

/// What became of an attempt to send a mail.
package enum MailOutcome: Sendable {
    case sent
    /// The attempt failed, and the mail is sent again later.
    case failed
    /// The mail became a dead letter.
    case dead
}
