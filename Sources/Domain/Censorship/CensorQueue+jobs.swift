/// The jobs of the censorship queue.
extension CensorQueue {
    /// Does the work of a leased job.
    ///
    /// - Throws: Errors of the store, after which the lease ends by itself; `CancellationError`, after which the job is
    ///   due again.
    func perform(_ job: CensorJob) async throws {
        do {
            switch job.work {
            case .check: try await check(job)
            case .learn: try await learn(job)
            case .purge: try await tellCaches(job)
            }
        } catch {
            // A worker that is stopped must still give its job back.
            try await shieldedFromCancellation { try await self.retry(job, after: error) }
            if Task.isCancelled { throw CancellationError() }
        }
    }

    private func check(_ job: CensorJob) async throws {
        guard let record = try await record(of: job), record.decision?.kind != .person else {
            return try await drop(job)
        }
        if job.isAwaitingCallback, job.attempts >= limits.attempts {
            return try await decide(Opinion(.review, "The webhook never answered."), by: nil, version: nil, job)
        }
        let outcome = try await checks.check(record, under: policy.settings) { [store] question in
            try await store.write { try $0.expectAnswer(to: question, about: job.id) }
        }
        switch outcome {
        case .decided(let opinion, let checker, let version):
            try await decide(opinion, by: checker, version: version, job)
        case .awaiting:
            let end = clock().adding(milliseconds: Int64(limits.callbackTimeout) * 1000)
            try await store.write { writer in
                guard var row = try writer.leased(job) else { return }
                row.lease = nil
                row.due = end
                // If no callback comes, the webhook is asked again.
                row.attempts += 1
                try writer.update(row.object, in: .censorJob)
            }
        }
    }

    /// Writes a machine's decision and deletes the row of its job, unless the lease was lost.
    private func decide(
        _ opinion: Opinion,
        by checker: String?,
        version: String?,
        _ job: CensorJob
    ) async throws {
        let decision = Decision(opinion, by: checker, at: clock())
        try await store.write { [self] writer in
            guard try writer.leased(job) != nil else { return }
            try decide(decision, about: job.file, version: version, in: writer)
        }
    }

    /// Decides about a file and deletes the row of its check, in one transaction.
    ///
    /// - Parameters:
    ///   - decision: The decision; a run counts the verdicts of machines only.
    ///   - id: The file.
    ///   - version: The version of the bytes about which the decision is; `nil` if it is unknown.
    ///   - writer: The transaction.
    /// - Returns: The verdict in force; `nil` if the file does not exist.
    /// - Throws: Errors of the store.
    @discardableResult
    func decide(
        _ decision: Decision,
        about id: ObjectID,
        version: String?,
        in writer: any WriteTransaction
    ) throws -> Verdict? {
        let verdict = try writer.decide(decision, about: id, version: version, purges: purge != nil, ids: ids)
        try writer.finishCheck(of: id, with: decision.kind == .machine ? verdict : nil, at: decision.at)
        return verdict
    }

    private func learn(_ job: CensorJob) async throws {
        guard let record = try await record(of: job), record.verdict == .rejected else { return try await drop(job) }
        let (digest, hash) = try await checks.fingerprint(of: record)
        let now = clock()
        try await store.write { [ids] writer in
            guard try writer.leased(job) != nil else { return }
            try writer.finish(job, at: now)
            guard try writer.object(job.file, in: .file)?.verdict == .rejected,
                try writer.count(KnownImage.isOf(file: job.file), in: .knownImage) == 0,
                try writer.count(.always, in: .knownImage) < KnownImages.limit
            else { return }
            let known = KnownImage(id: ids.next(), digest: digest, hash: hash, file: job.file, at: now)
            try writer.insert(known.object, into: .knownImage)
        }
    }

    private func tellCaches(_ job: CensorJob) async throws {
        guard let record = try await record(of: job), record.verdict == .rejected, let purge else {
            return try await drop(job)
        }
        try await purge.send(record)
        try await drop(job)
    }

    private func record(of job: CensorJob) async throws -> StoredObject? {
        try await store.read { try $0.object(job.file, in: .file) }
    }

    /// Deletes a job that has nothing to do any more, or is done.
    private func drop(_ job: CensorJob) async throws {
        let now = clock()
        try await store.write { writer in
            if try writer.leased(job) != nil { try writer.finish(job, at: now) }
        }
    }

    /// Makes a failed job due again, or ends it: a person then decides about a check.
    ///
    /// A purge is repeated until the webhook accepts it, because a CDN can show the blocked image until then.
    private func retry(_ job: CensorJob, after error: any Error) async throws {
        let failure = error as? ServiceError
        // A stop of the server, and a busy one, are no failures of the job.
        let isBusy = error is CancellationError || failure?.code == .overloaded
        if let failure, CensorQueue.isOver(job, after: failure) { return try await drop(job) }
        let now = clock()
        let attempts = job.attempts + (isBusy ? 0 : 1)
        switch job.work {
        case .check where attempts >= limits.attempts:
            noteGivenUp(job, error)
            let why = failure.map(\.message) ?? "Internal error."
            let opinion = Opinion(.review, "The check failed \(attempts) times: \(why)")
            return try await decide(opinion, by: nil, version: nil, job)
        case .learn where now >= job.createdAt.adding(milliseconds: CensorQueue.learnTime):
            noteGivenUp(job, error)
            return try await drop(job)
        case .check, .learn, .purge:
            if attempts == limits.attempts, !isBusy { noteRepetition(job, error) }
        }
        let pause = isBusy ? 2_000 : limits.pause(afterFailures: attempts)
        try await store.write { writer in
            guard var row = try writer.leased(job) else { return }
            row.lease = nil
            row.attempts = attempts
            row.due = now.adding(milliseconds: pause)
            try writer.update(row.object, in: .censorJob)
        }
    }

    /// Whether a job has nothing to do after a failure: its file is gone, or too large to be learned.
    private static func isOver(_ job: CensorJob, after failure: ServiceError) -> Bool {
        failure.code == .fileNotFound || job.work == .learn && FileChecks.tooLarge.contains(failure.code)
    }

    /// How long the queue tries to learn a blocked image, in milliseconds: three days.
    private static let learnTime: Int64 = 3 * 86_400_000
}

extension Decision {
    /// A machine's decision.
    init(_ opinion: Opinion, by checker: String?, at now: Timestamp) {
        self.init(
            opinion.verdict,
            by: .machine,
            at: now,
            checker: checker,
            reason: opinion.reason,
            scores: opinion.scores
        )
    }
}
