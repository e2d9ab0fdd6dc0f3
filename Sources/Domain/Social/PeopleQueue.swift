package import Logging
internal import Synchronization

/// The worker of one app's queue of deliveries and of work after deletions (docs/people.md, "Delivery").
package final class PeopleQueue: Sendable {
    private let app: AppID
    private let store: any ObjectStore
    private let settings: ObjectSettings
    private let objects: ObjectService
    private let engine: any PatternEngine
    private let logger: Logger?
    private let signal = WakeSignal()

    /// How many times a step is tried before its job is given up.
    private static let maxAttempts = 5

    /// - Parameters:
    ///   - app: The app.
    ///   - store: Contains the queue.
    ///   - settings: The settings of objects.
    ///   - objects: Decides when queries run.
    ///   - engine: Parses regular expressions in conditions.
    ///   - logger: Logs jobs that are given up.
    package init(
        app: AppID,
        store: any ObjectStore,
        settings: ObjectSettings,
        objects: ObjectService,
        engine: any PatternEngine,
        logger: Logger? = nil
    ) {
        self.app = app
        self.store = store
        self.settings = settings
        self.objects = objects
        self.engine = engine
        self.logger = logger
        store.changes.subscribe(to: [ChangeFilter(.peopleJob, [.created])]) { [signal] _ in signal.set() }
    }

    /// Works through the queue, and through jobs that are added later, until the task is cancelled; one call at a time, of
    /// all servers.
    ///
    /// - Parameter report: Called when a job was given up.
    package func run(_ report: @escaping @Sendable () -> Void) async {
        var backoff = Backoff(first: .seconds(1), max: .seconds(60))
        while !Task.isCancelled {
            do {
                while let outcome = try await step() {
                    if outcome == .givenUp { report() }
                }
                backoff.reset()
                let next = try await store.read { try $0.find(PeopleJob.next).first.flatMap(PeopleJob.init)?.due }
                let wait = next.map { Duration.milliseconds(max(10, $0.milliseconds - settings.clock().milliseconds)) }
                await signal.wait(until: wait.map { .now + $0 })
            } catch is CancellationError {
                return
            } catch {
                logger?.warning(
                    "The queue of deliveries to inboxes cannot go on; this is tried again",
                    metadata: ["app": "\(app)", "error": "\(error.logged)"]
                )
                try? await Task.sleep(for: backoff.next())
            }
        }
    }

    /// Does the next step of the job that is due the longest.
    ///
    /// - Returns: What became of it; `nil` if none is due.
    /// - Throws: Errors of the store, and `CancellationError`.
    package func step() async throws -> PeopleOutcome? {
        let now = settings.clock()
        let next = try await store.read { reader in try reader.find(PeopleJob.due(at: now)).first }
        guard let row = next else { return nil }
        guard let job = PeopleJob(row) else {
            // A row that another program wrote would come first for ever.
            _ = try await store.write { try $0.delete(row.id, in: .peopleJob) }
            return .givenUp
        }
        do {
            switch job.work {
            case .deliver: try await deliver(job)
            case .withdraw: try await finish(job) { writer, _ in try writer.withdraw(job.subject) }
            case .forget:
                try await finish(job) { [settings] writer, now in
                    try writer.forget(job.subject, ids: settings.ids, at: now)
                }
            }
            return .done
        } catch let error as ServiceError where PeopleQueue.endsJobs.contains(error.code) {
            return try await note(error, of: job)
        }
    }

    /// The number of jobs that wait.
    package func waiting() async throws -> Int {
        try await store.read { try $0.count(.always, in: .peopleJob) }
    }

    private func deliver(_ job: PeopleJob) async throws {
        guard let order = DeliveryOrder(job) else {
            throw ServiceError(.badRequest, "The job has no delivery.")
        }
        let caller = order.caller(of: app)
        let budget = objects.budget(nil)
        let recipients = try await objects.admission.run(as: caller.identity, within: budget) {
            [store, settings, engine] in
            try await store.read(within: budget) { reader in
                let access = ObjectAccess(caller: caller)
                let rules = ObjectReadRules(reader: reader, access: access, settings: settings)
                return try rules.recipients(of: order.target, after: job.cursor, engine: engine)
            }
        }
        try await store.write { [settings] writer in
            let now = settings.clock()
            // Another step can have been first, and the author can have deleted the status.
            guard let row = try writer.object(job.id, in: .peopleJob), var current = PeopleJob(row),
                current.cursor == job.cursor
            else { return }
            let isDeleted = try writer.row(job.subject, in: .status) == nil
            if !isDeleted {
                try writer.deliver(order.delivery, to: recipients.users, settings.people, ids: settings.ids, at: now)
            }
            guard let cursor = recipients.cursor, !isDeleted else {
                _ = try writer.delete(job.id, in: .peopleJob)
                return
            }
            current.cursor = cursor
            current.attempts = 0
            current.due = now
            try writer.update(current.object, in: .peopleJob, from: row)
        }
    }

    /// Does a step that needs no query before its transaction; the body returns whether the job is finished.
    private func finish(
        _ job: PeopleJob,
        _ body: @escaping @Sendable (any WriteTransaction, Timestamp) throws -> Bool
    ) async throws {
        try await store.write { [settings] writer in
            let now = settings.clock()
            guard let row = try writer.object(job.id, in: .peopleJob), var current = PeopleJob(row) else { return }
            if try body(writer, now) {
                _ = try writer.delete(job.id, in: .peopleJob)
            } else {
                current.due = now
                try writer.update(current.object, in: .peopleJob, from: row)
            }
        }
    }

    /// Makes a failed step due again after a growing pause, or gives its job up.
    private func note(_ error: ServiceError, of job: PeopleJob) async throws -> PeopleOutcome {
        // A query that other queries keep waiting is no failure of the job.
        let attempts = error.code == .overloaded ? job.attempts : job.attempts + 1
        let isOver = attempts >= PeopleQueue.maxAttempts
        try await store.write { [settings] writer in
            guard let row = try writer.object(job.id, in: .peopleJob), var current = PeopleJob(row) else { return }
            guard !isOver else {
                _ = try writer.delete(job.id, in: .peopleJob)
                return
            }
            current.attempts = attempts
            current.due = settings.clock().adding(seconds: max(1, attempts * attempts * 10))
            try writer.update(current.object, in: .peopleJob, from: row)
        }
        guard isOver else { return .failed }
        logger?.error(
            "A status does not reach all inboxes: its query fails, and the delivery is given up",
            metadata: ["app": "\(app)", "status": "\(job.subject)", "error": "\(error)"]
        )
        return .givenUp
    }

    /// The errors of queries, which no other state of the storage repairs.
    private static let endsJobs: Set<ServiceError.Code> = [
        .badRequest, .malformedJSON, .invalidKey, .invalidClassName, .forbidden, .objectNotFound, .timedOut,
        .overloaded,
    ]
}

/// What became of a step of the queue.
package enum PeopleOutcome: Sendable {
    case done
    /// The step is tried again later.
    case failed
    /// The job was deleted before it was finished.
    case givenUp
}
