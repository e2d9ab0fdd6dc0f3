/// What a failed commit leaves open: whether the file exists (docs/storage-format.md, "Failing calls").
extension UploadHandle {
    /// Whether the upload is finished although the write of that failed; if it is not, its blob is removed.
    ///
    /// - Throws: An error while that is unknown: blob and note stay, and ``decideCommit()`` finds out.
    func isFinished(reverting staged: any StagedBlob, _ record: FileRecord, put: ObjectID) async throws -> Bool {
        do {
            guard try await service.revert(staged, record, put: put) else { return false }
            return try await readEnd()
        } catch {
            active.with { $0.isUndecided = !service.isShared }
            throw error
        }
    }

    /// Reads from the upload's row whether it is finished, and notes it.
    ///
    /// - Throws: An error also while a write that failed can still come back.
    private func readEnd() async throws -> Bool {
        let found = try await service.records.certainlyFind(id: active.id)
        guard let row = found, row.tokenDigest == stored.tokenDigest else {
            // The bytes of another upload with the id stay.
            if found == nil { await service.discardStaged(of: active) }
            active.with { $0.isEnded = true }
            throw UploadService.notFound
        }
        guard row.isFinished else { return false }
        active.finish(row)
        return true
    }

    /// Whether a failure left a commit of this upload undecided; always `false` on a shared store.
    ///
    /// The staging area knows the commits also if the upload was not in memory since.
    private var hasUndecidedCommit: Bool {
        guard !service.isShared else { return false }
        return active.with(\.isUndecided) || !service.storage.staging.undecidedCommits(of: active.id).isEmpty
    }

    /// Decides a commit of this upload that a failure left undecided: the file can exist although its request failed.
    ///
    /// Called on a server that is alone, with all locks of the upload held.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if the upload has ended; an error while the storage cannot tell.
    func decideCommit() async throws {
        try requireNotEnded()
        guard hasUndecidedCommit else { return }
        active.with { $0.isUndecided = true }
        // Bytes with the name of a note get another one, so they are opened again.
        active.use.with { $0.blob = nil }
        try await service.settle(active.id, isEnded: false)
        if try await readEnd() {
            // The bytes of parts that were joined; the sweep removes what stays.
            try? await service.storage.staging.stage(as: active.id).discard()
        } else {
            active.with { $0.isUndecided = false }
        }
    }

    /// Decides an undecided commit before a request that writes or deletes: bytes would go into the stored blob.
    func decideCommitIfUndecided() async throws {
        guard hasUndecidedCommit else { return }
        try await exclusively {}
    }
}
