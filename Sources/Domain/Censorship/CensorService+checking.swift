/// Checks that callers wait for.
extension CensorService {
    /// Checks a file now (protocol/files 8).
    ///
    /// - Parameters:
    ///   - id: The file.
    ///   - caller: The caller.
    /// - Returns: The verdict: passed, review or rejected. A person's verdict stays.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/objectNotFound``,
    ///   ``ServiceError/Code/badRequest`` for a file that is not an image, ``ServiceError/Code/overloaded``.
    package func check(_ id: ObjectID, as caller: Caller) async throws -> Verdict {
        try caller.requireMasterKey()
        let record = try await image(id)
        if let decision = record.decision, decision.kind == .person { return decision.verdict }
        return try await checking.run { try await settle(try await outcome(of: record), about: record) }
    }

    /// The outcome of a check that a caller waits for.
    ///
    /// The row that it adds for a webhook stays if the caller leaves: the queue then waits for the answer.
    private func outcome(of record: StoredObject) async throws -> FileChecks.Outcome {
        do {
            return try await queue.checks.check(record, under: policy.settings) { question in
                var job = CensorJob(.check, of: record.id, at: now())
                job.due = callbackEnd()
                try await store.write { [job] writer in
                    try writer.expectAnswer(to: question, about: record.id, adding: job)
                }
            }
        } catch let error as ServiceError where error.code == .fileNotFound {
            throw CensorService.notFound
        } catch let error as ServiceError where error.code != .overloaded {
            // The queue would try again; this caller gets an answer, and a person can decide.
            return .decided(Opinion(.review, "The check failed: \(error.message)"), checker: nil, version: nil)
        }
    }

    /// Writes the outcome of a check, unless a person, a worker or a callback has decided since the record was read.
    private func settle(_ outcome: FileChecks.Outcome, about before: StoredObject) async throws -> Verdict {
        let (id, now, end) = (before.id, now(), callbackEnd())
        let verdict = try await store.write { [queue] writer -> Verdict? in
            guard let record = try writer.object(id, in: .file) else { return nil }
            guard record.decision == before.decision else { return record.verdict }
            switch outcome {
            case .decided(let opinion, let checker, let version):
                let decision = Decision(opinion, by: checker, at: now)
                return try queue.decide(decision, about: id, version: version, in: writer)
            case .awaiting:
                if var job = try writer.object(id, in: .censorJob).flatMap(CensorJob.init) {
                    job.lease = nil
                    job.due = end
                    try writer.update(job.object, in: .censorJob)
                }
                return .review
            }
        }
        guard let verdict else { throw CensorService.notFound }
        return verdict == .pending ? .review : verdict
    }

    /// When a webhook that is asked now must have answered.
    private func callbackEnd() -> Timestamp {
        now().adding(milliseconds: Int64(queue.limits.callbackTimeout) * 1000)
    }
}

extension WriteTransaction {
    /// Deletes the check of a file about which something else decided, and counts it in its run.
    func finishCheck(of id: ObjectID, with verdict: Verdict?, at now: Timestamp) throws {
        guard let job = try object(id, in: .censorJob).flatMap(CensorJob.init) else { return }
        try finish(job, with: verdict, at: now)
    }
}
