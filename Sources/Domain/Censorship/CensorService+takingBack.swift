/// Takes back what a person decided.
extension CensorService {
    /// Takes back a person's verdict about a file.
    ///
    /// The last decision of a checker is in force again. A file that no checker has seen is checked as a new one, and so
    /// is a file on another server, whose bytes can have changed since then.
    ///
    /// - Parameters:
    ///   - id: The file; one about which no person decided stays as it is.
    ///   - name: Who takes it back, for the log.
    ///   - caller: The caller.
    /// - Returns: The file.
    /// - Throws: As ``check(_:as:)``.
    package func takeBack(_ id: ObjectID, by name: String?, as caller: Caller) async throws -> CensoredFile {
        try caller.requireMasterKey()
        _ = try await image(id)
        let now = now()
        let record = try await store.write { [queue] writer -> StoredObject? in
            writer.caller = caller
            guard let record = try writer.object(id, in: .file) else { return nil }
            guard record.decision?.kind == .person else { return record }
            let restored = try writer.takenBack(record, at: now)
            try writer.update(restored, in: .file, from: record)
            let verdict = restored.verdict ?? .pending
            let decision = Decision(
                verdict,
                by: .person,
                at: now,
                named: name,
                reason: "The verdict of a person was taken back."
            )
            try writer.log(CensorLogEntry(.verdict(file: id, decision), at: now), ids: queue.ids)
            if queue.purge != nil, verdict == .rejected, record.verdict != .rejected {
                try writer.insert(CensorJob(.purge, of: id, id: queue.ids.next(), at: now).object, into: .censorJob)
            }
            let known = try writer.find(ObjectQuery(.knownImage, where: KnownImage.isOf(file: id), page: .all))
            try writer.delete(known.map(\.id), in: .knownImage)
            return restored
        }
        guard let record else { throw CensorService.notFound }
        return shown(record)
    }
}

extension WriteTransaction {
    /// The record with the last decision of a checker, or with a check that waits.
    fileprivate func takenBack(_ record: StoredObject, at now: Timestamp) throws -> StoredObject {
        let decisions = ObjectQuery(
            .censorLog,
            where: .all([
                CensorJob.isOf(file: record.id),
                .field(FieldPath(field: "kind"), .equals(.string(Decision.Kind.machine.rawValue))),
            ]),
            order: [SortKey(FieldPath(field: "objectId"), descending: true)],
            page: .first
        )
        let last = try find(decisions).first.flatMap { Decision($0.fields) }
        if let last, !CheckedFile.isElsewhere(record) { return record.decided(last) }
        if try object(record.id, in: .censorJob) == nil {
            try insert(CensorJob(.check, of: record.id, at: now).object, into: .censorJob)
        }
        return record.undecided()
    }
}
