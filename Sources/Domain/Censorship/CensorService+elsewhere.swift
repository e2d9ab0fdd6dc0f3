/// Files on other servers, whose bytes can change after a check.
extension CensorService {
    /// Seconds after a decision before which the file is not checked again because of other bytes.
    ///
    /// A server can send other bytes for each request, and must not cause a check each time.
    fileprivate static let recheckPause = 600

    /// Makes a file wait for another check because the other server sends bytes that no check passed.
    ///
    /// The former verdict is not in force any more, also that of a person: it was about other bytes. Without `auto`
    /// these are not checked, as a new file is not.
    ///
    /// - Parameters:
    ///   - id: The file.
    ///   - version: The version of the bytes.
    /// - Throws: ``ServiceError/Code/blocked`` if the bytes are not served before they have passed, or if the file was
    ///   blocked meanwhile.
    package func recheck(_ id: ObjectID, of version: String) async throws {
        guard policy.settings.isAutomatic else { return }
        var verdict: Verdict? = .pending
        do {
            verdict = try await store.write { [ids, now = now()] writer in
                try writer.requestCheck(of: id, because: version, at: now, ids: ids)
            }
        } catch {
            // For instance the disk is full. Without `hold`, that is no reason to serve nothing.
            guard !policy.settings.holds else { throw error }
        }
        try policy.requireOpen(verdict)
    }
}

extension WriteTransaction {
    /// Queues the check of a file whose verdict is about other bytes than those with this version.
    ///
    /// - Returns: The verdict in force.
    fileprivate func requestCheck(
        of id: ObjectID,
        because version: String,
        at now: Timestamp,
        ids: ObjectIDGenerator
    ) throws -> Verdict? {
        guard let record = try object(id, in: .file) else { return nil }
        guard record.verdict == .passed, let checked = record.checkedVersion, checked != version else {
            return record.verdict
        }
        // The version stays: the server that checks has perhaps the former bytes in its cache.
        try update(record.undecided(), in: .file, from: record)
        let reason = "The other server sends other bytes than those that were checked."
        let decision = Decision(.pending, by: .machine, at: now, reason: reason)
        try log(CensorLogEntry(.verdict(file: id, decision), at: now), ids: ids)
        if try object(id, in: .censorJob) == nil {
            var job = CensorJob(.check, of: id, at: now)
            if let last = record.decision?.at { job.due = max(now, last.adding(seconds: CensorService.recheckPause)) }
            try insert(job.object, into: .censorJob)
        }
        return .pending
    }
}
