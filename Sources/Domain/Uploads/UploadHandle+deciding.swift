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
    private func readEnd() async throws -> Bool {
        guard let found = try await service.records.find(id: active.id, reading: .none),
            found.upload.tokenDigest == stored.tokenDigest
        else {
            await service.discardStaged(of: active)
            throw UploadService.notFound
        }
        guard found.upload.isFinished else { return false }
        active.finish(found.upload)
        return true
    }

    /// Decides a commit of this upload that a failure left undecided: the file can exist although its request failed.
    ///
    /// Called on a server that is alone, with all locks of the upload held.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if the upload has ended; an error while the storage cannot tell.
    func decideCommit() async throws {
        try requireNotEnded()
        guard try await service.settle(active.id, isEnded: false) || active.with(\.isUndecided) else { return }
        if try await readEnd() {
            // The bytes under the name of the note, and those of parts that were joined; the sweep removes what stays.
            _ = try? await service.settle(active.id, isEnded: true)
            try? await service.storage.staging.stage(as: active.id).discard()
        } else {
            active.with { $0.isUndecided = false }
        }
    }

    /// Decides an undecided commit before a request that writes or deletes: bytes would go into the stored blob.
    func decideCommitIfUndecided() async throws {
        guard active.with(\.isUndecided) else { return }
        try await exclusively {}
    }
}
