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
    /// - Returns: The final upload that waits for this one, and the digests of tokens whose uploads end because this
    ///   one took their pieces.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/duplicateValue`` if the key is taken,
    ///   ``ServiceError/Code/quotaExceeded``, ``ServiceError/Code/uploadNotFound``.
    func finish(
        _ upload: StoredUpload,
        _ record: FileRecord?,
        spending spent: [ObjectID] = [],
        replacing created: FileRecord? = nil,
        as caller: Caller,
        within quota: Int64?
    ) async throws -> (successor: ObjectID?, ended: [String]) {
        try await store.write { [clock] writer in
            writer.caller = caller
            var finished = upload
            let stored = try writer.openUpload(upload.id)
            finished.counted = stored.counted
            finished.successor = stored.successor
            var ended: [String] = []
            var usage = try writer.usage()
            if let record {
                usage = usage - .upload(finished.counted) + .file(record.facts.size)
                try writer.countClosed(by: upload.creator, at: clock())
                if let created { try writer.removeCreated(created, from: &usage) }
                try writer.insert(record, as: caller)
            }
            try writer.removeParts(of: record == nil ? spent : spent + [upload.id])
            var seen: Set<ObjectID> = []
            for partial in spent {
                guard seen.insert(partial).inserted, let partial = try writer.upload(partial), partial.kind == .partial
                else { throw UploadService.notFound }
                usage = usage - .upload(partial.counted)
                try writer.countClosed(by: partial.creator, at: clock())
                if let other = partial.successor, other != upload.id,
                    let final = try writer.removeWaiting(other, at: clock())
                {
                    ended.append(final.tokenDigest)
                    usage = usage - .upload(final.counted)
                }
            }
            try writer.delete(spent, in: .upload)
            try usage.requireWithin(quota)
            try writer.update(finished.object, in: .upload)
            try writer.save(usage, at: clock())
            return (finished.successor, ended)
        }
    }

    /// Removes an upload and its parts, and the final upload that waits for it.
    ///
    /// - Returns: Whether it was unfinished, and the digests of tokens whose uploads end with it.
    func remove(_ id: ObjectID) async throws -> (wasOpen: Bool, ended: [String]) {
        try await store.write { [clock] writer in
            guard let upload = try writer.upload(id) else { return (false, []) }
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
