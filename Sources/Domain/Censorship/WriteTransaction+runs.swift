/// The steps of bulk runs, each in one transaction.
extension ReadTransaction {
    /// A run.
    func run(_ id: ObjectID) throws -> CensorRun? {
        try object(id, in: .censorRun).flatMap(CensorRun.init)
    }

    /// The run that is not cancelled and not done; there is one at most.
    func runningRun() throws -> CensorRun? {
        let isRunning = Condition.field(FieldPath(field: "state"), .equals(.string(CensorRun.State.running.rawValue)))
        return try find(ObjectQuery(.censorRun, where: isRunning, page: .first)).first.flatMap(CensorRun.init)
    }
}

extension WriteTransaction {
    /// The files that a run examines in one transaction, and the jobs of it that wait at most.
    static var runPage: Int { 200 }

    /// Queues the next files of the running run, unless enough of its jobs wait; ends the run if nothing is left of it.
    ///
    /// - Returns: Whether jobs were added.
    func feedRun(at now: Timestamp, ids: ObjectIDGenerator) throws -> Bool {
        guard var run = try runningRun() else { return false }
        let waiting = try count(CensorJob.isOf(run: run.id), in: .censorJob)
        if run.isExhausted {
            if waiting == 0 { try finish(&run, at: now, ids: ids) }
            return false
        }
        guard waiting < Self.runPage / 2 else { return false }
        let records = try find(
            ObjectQuery(.file, where: run.rest, order: FilePosition.order, page: Page(first: Self.runPage))
        )
        var added = 0
        for record in records {
            let position = FilePosition(of: record)
            run.position = position
            guard run.mustCheck(record), try object(record.id, in: .censorJob) == nil else { continue }
            let job = CensorJob(.check, of: record.id, .bulk, run: run.id, position: position.description, at: now)
            try insert(job.object, into: .censorJob)
            added += 1
        }
        run.examined += records.count
        run.queued += added
        run.isExhausted = records.count < Self.runPage
        run.updatedAt = now
        try update(run.object, in: .censorRun)
        if run.isExhausted, added == 0, waiting == 0 { try finish(&run, at: now, ids: ids) }
        // After a page without a file to check, the next page is examined at once.
        return added > 0 || !run.isExhausted
    }

    /// Counts a finished job of a run.
    func count(_ job: CensorJob, of verdict: Verdict?, at now: Timestamp) throws {
        guard let id = job.run, var run = try run(id) else { return }
        run.decided += 1
        if let verdict { run.verdicts[verdict, default: 0] += 1 }
        run.updatedAt = now
        try update(run.object, in: .censorRun)
    }

    /// Stops a run: its waiting jobs are deleted, and it goes back to the first of their files.
    func cancel(_ run: inout CensorRun, at now: Timestamp) throws {
        let isOfRun = CensorJob.isOf(run: run.id)
        let former = run.position
        while true {
            let rows = try find(ObjectQuery(.censorJob, where: isOfRun, page: Page(first: 1000)))
            guard !rows.isEmpty else { break }
            run.queued -= rows.count
            try delete(rows.map(\.id), in: .censorJob)
            let positions = rows.compactMap { CensorJob($0)?.position }.map { FilePosition(stored: $0).beginning }
            run.position = (positions + [run.position].compactMap(\.self)).min()
        }
        run.state = .cancelled
        run.updatedAt = now
        if let former, let position = run.position, position < former {
            // Only the files of the deleted jobs: the run can have millions of others.
            run.examined -= try count(.all([run.rest, former.isReached]), in: .file)
        }
        run.isExhausted = false
        try update(run.object, in: .censorRun)
    }

    private func finish(_ run: inout CensorRun, at now: Timestamp, ids: ObjectIDGenerator) throws {
        run.state = .done
        run.updatedAt = now
        try update(run.object, in: .censorRun)
        try log(CensorLogEntry(.run(run.id, state: run.state.rawValue, by: nil), at: now), ids: ids)
    }
}
