/// Decisions about files and the rows of the queue, each in one transaction.
extension WriteTransaction {
    /// Decides about a file: the record, the audit log and, for a file that becomes blocked, the purge of caches.
    ///
    /// - Parameters:
    ///   - decision: The decision; a machine's does not replace a person's.
    ///   - id: The file.
    ///   - version: The version of the bytes about which it is; `nil` if it is unknown.
    ///   - purges: Whether caches are told.
    ///   - ids: Generates ids of rows.
    /// - Returns: The verdict in force; `nil` if the file does not exist.
    /// - Throws: Errors of the store.
    func decide(
        _ decision: Decision,
        about id: ObjectID,
        version: String?,
        purges: Bool,
        ids: ObjectIDGenerator
    ) throws -> Verdict? {
        guard let record = try object(id, in: .file) else { return nil }
        if decision.kind == .machine, record.decision?.kind == .person { return record.verdict }
        try update(record.decided(decision, about: version), in: .file, from: record)
        try log(CensorLogEntry(.verdict(file: id, decision), at: decision.at), ids: ids)
        if purges, decision.verdict == .rejected, record.verdict != .rejected {
            try insert(CensorJob(.purge, of: id, id: ids.next(), at: decision.at).object, into: .censorJob)
        }
        return decision.verdict
    }

    /// Notes in the row of a check that a webhook is asked, so that its answer counts from now on, also if it comes
    /// before the webhook has confirmed the request.
    ///
    /// - Parameters:
    ///   - question: What the check knows before.
    ///   - id: The file.
    ///   - new: The row to add if the check has none; `nil` for that of a worker, which is gone if the file was decided
    ///     about meanwhile.
    /// - Throws: Errors of the store.
    func expectAnswer(to question: FileChecks.Question, about id: ObjectID, adding new: CensorJob? = nil) throws {
        let former = try object(id, in: .censorJob).flatMap(CensorJob.init)
        guard var job = former ?? new else { return }
        job.isAwaitingCallback = true
        job.scores = question.scores
        job.version = question.version
        job.isPartial = question.isPartial
        if former == nil {
            try insert(job.object, into: .censorJob)
        } else {
            try update(job.object, in: .censorJob)
        }
    }

    /// The job of a row, if a lease on it is still valid.
    func leased(_ job: CensorJob) throws -> CensorJob? {
        guard let row = try object(job.id, in: .censorJob).flatMap(CensorJob.init), row.lease == job.lease,
            job.lease != nil
        else { return nil }
        return row
    }

    /// Deletes the row of a finished job, and counts it in its run.
    func finish(_ job: CensorJob, with verdict: Verdict? = nil, at now: Timestamp) throws {
        guard try delete(job.id, in: .censorJob) else { return }
        try count(job, of: verdict, at: now)
    }

    /// Leases the next job that is due: jobs for new files go before those of bulk runs.
    ///
    /// - Parameters:
    ///   - lease: The name of the lease; no other lease has it.
    ///   - now: The time.
    ///   - end: When the lease ends, and another worker can take the job.
    /// - Returns: The job; `nil` if none is due.
    /// - Throws: Errors of the store.
    func lease(as lease: String, at now: Timestamp, until end: Timestamp) throws -> CensorJob? {
        for urgency in CensorJob.Urgency.allCases {
            let due = ObjectQuery(
                .censorJob,
                where: CensorJob.isDue(urgency, at: now),
                order: CensorJob.order,
                page: .first
            )
            guard let row = try find(due).first else { continue }
            guard var job = CensorJob(row) else {
                // Another program wrote it: it would come first for ever.
                _ = try delete(row.id, in: .censorJob)
                continue
            }
            job.lease = lease
            job.due = end
            try update(job.object, in: .censorJob, from: row)
            return job
        }
        return nil
    }
}

extension ReadTransaction {
    /// When the next job is due, leased ones included; `nil` if no job waits.
    func nextDue() throws -> Timestamp? {
        try CensorJob.Urgency.allCases.compactMap { urgency in
            let next = ObjectQuery(
                .censorJob,
                where: CensorJob.isDue(urgency),
                order: CensorJob.order,
                page: .first
            )
            return try find(next).first?.updatedAt
        }.min()
    }
}
