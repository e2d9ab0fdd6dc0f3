/// The end of an upload, with its file or without one.
extension UploadRecords {
    /// Finishes an upload in one transaction: adds the file's record, marks the upload as finished, removes the parts.
    ///
    /// - Parameters:
    ///   - upload: The upload in its finished state.
    ///   - record: The file's record; `nil` for a partial upload, which keeps its parts.
    ///   - spent: Partial uploads that form the file and end with it.
    ///   - created: The file that the mirror created under the key with the same bytes, which the record replaces.
    ///   - caller: The caller who began it, in the current state.
    ///   - quota: The maximum size of the app's files, in bytes.
    ///   - lease: The lease of the request; `nil` on a store that is not shared.
    /// - Returns: The final upload that waits for this one, and the digests of tokens whose uploads end because this
    ///   one took their pieces.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/duplicateValue`` if the key is taken,
    ///   ``ServiceError/Code/quotaExceeded``, ``ServiceError/Code/uploadNotFound``,
    ///   ``ServiceError/Code/superseded`` if the lease is lost.
    func finish(
        _ upload: StoredUpload,
        _ record: FileRecord?,
        spending spent: [ObjectID] = [],
        replacing created: FileRecord? = nil,
        as caller: Caller,
        within quota: Int64?,
        holding lease: FinishLease? = nil
    ) async throws -> (successor: ObjectID?, ended: [String]) {
        try await store.write { [clock] writer in
            writer.caller = caller
            var finished = upload
            // The holder of a later lease can have finished it.
            if let lease { try writer.upload(upload.id)?.requireLease(lease) }
            let stored = try writer.openUpload(upload.id)
            if lease != nil {
                finished.sharing = stored.sharing
                finished.sharing?.lease = nil
            }
            // The request has no large description if it does not use it.
            finished.takeDescription(of: stored)
            finished.counted = stored.counted
            finished.successor = stored.successor
            var usage = try writer.usage()
            if let record {
                usage = usage - .upload(finished.counted) + .file(record.facts.size)
                try writer.countClosed(by: upload.creator, at: clock())
                if let created { try writer.removeCreated(created, from: &usage) }
                try writer.insert(created.map(record.takingOver) ?? record, as: caller)
            }
            // An upload that was never started has no parts.
            let hasOwnParts = record != nil && (stored.isStarted || lease != nil)
            try writer.removeParts(of: hasOwnParts ? spent + [upload.id] : spent)
            let ended = try writer.removePartials(spent, of: upload.id, from: &usage, at: clock())
            try usage.requireWithin(quota)
            try writer.update(finished.object, in: .upload)
            try writer.save(usage, at: clock())
            return (finished.successor, ended)
        }
    }

    /// Removes an upload and its parts, and the final upload that waits for it.
    ///
    /// - Parameters:
    ///   - id: The upload.
    ///   - lease: The lease of the request, if it has one.
    ///   - dead: A lease whose holder has ended.
    ///   - isDue: Whether the upload is to be removed in this state.
    /// - Returns: Whether it was unfinished, and the digests of tokens whose uploads end with it; `nil` if it is not
    ///   due.
    /// - Throws: ``ServiceError/Code/superseded`` if the lease is lost; ``LeaseHeld`` if another request has one.
    func remove(
        _ id: ObjectID,
        holding lease: FinishLease? = nil,
        breaking dead: SharedUploadState.Lease? = nil,
        if isDue: @escaping @Sendable (StoredUpload) -> Bool = { _ in true }
    ) async throws -> (wasOpen: Bool, ended: [String])? {
        try await store.write { [clock, isShared] writer in
            guard let upload = try writer.upload(id) else { return (false, []) }
            guard isDue(upload) else { return nil }
            if isShared { try upload.requireLease(lease, breaking: dead) }
            _ = try writer.delete(id, in: .upload)
            try writer.removeParts(of: [id])
            guard upload.isOpen else { return (false, []) }
            try writer.countClosed(by: upload.creator, at: clock())
            var usage = try writer.usage() - .upload(upload.counted)
            let final = try upload.successor.flatMap { try writer.removeWaiting($0, at: clock()) }
            if let final { usage = usage - .upload(final.counted) }
            try writer.save(usage, at: clock())
            return (true, final.map { [$0.tokenDigest] } ?? [])
        }
    }
}

extension WriteTransaction {
    /// Removes partial uploads that form the file of a final one; other final uploads that wait for them end, too.
    ///
    /// - Parameters:
    ///   - spent: The partial uploads.
    ///   - upload: The final upload.
    ///   - usage: The app's usage, without the removed uploads on return.
    ///   - now: The time of the change.
    /// - Returns: The digests of the tokens of the other final uploads.
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if one is named twice, or is no partial upload.
    fileprivate func removePartials(
        _ spent: [ObjectID],
        of upload: ObjectID,
        from usage: inout Usage,
        at now: Timestamp
    ) throws -> [String] {
        var ended: [String] = []
        var seen: Set<ObjectID> = []
        for partial in spent {
            guard seen.insert(partial).inserted, let partial = try self.upload(partial), partial.kind == .partial
            else { throw UploadService.notFound }
            usage = usage - .upload(partial.counted)
            try countClosed(by: partial.creator, at: now)
            if let other = partial.successor, other != upload, let final = try removeWaiting(other, at: now) {
                ended.append(final.tokenDigest)
                usage = usage - .upload(final.counted)
            }
        }
        try delete(spent, in: .upload)
        return ended
    }

    fileprivate func removeParts(of uploads: [ObjectID]) throws {
        guard !uploads.isEmpty else { return }
        try delete(try rows(.parts(of: uploads)).map(\.id), in: .uploadPart)
    }
}

extension ObjectQuery {
    fileprivate static func parts(of uploads: [ObjectID]) -> ObjectQuery {
        let pointers = ValueSet(uploads.map { Pointer(.upload, $0).json })
        let belongs = Condition.field(FieldPath(field: "upload"), .isIn(pointers))
        return ObjectQuery(.uploadPart, where: belongs, page: .all)
    }
}
