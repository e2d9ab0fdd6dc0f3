extension UploadService {
    /// Removes an upload's row, and the uploads that end with it from memory.
    ///
    /// - Parameters: As those of ``UploadRecords/remove(_:holding:breaking:if:)``.
    /// - Returns: Whether the upload was unfinished; `nil` if it is not due.
    func removeRow(
        of id: ObjectID,
        holding lease: FinishLease? = nil,
        breaking dead: SharedUploadState.Lease? = nil,
        if isDue: @escaping @Sendable (StoredUpload) -> Bool = { _ in true }
    ) async throws -> Bool? {
        guard let removed = try await records.remove(id, holding: lease, breaking: dead, if: isDue) else { return nil }
        for digest in removed.ended { await forget(digest) }
        return removed.wasOpen
    }

    /// Removes from memory an upload whose row was deleted, by the digest of its token.
    func forget(_ digest: String) async {
        try? await active.using(digest) {
            nil
        } _: { active in
            if let active { await discardStaged(of: active) }
        }
    }

    /// Removes the staged bytes of an ended upload; in a shared area, those of another upload that has got its id stay.
    func discardStagedUnlessTaken(_ upload: ActiveUpload) async {
        let blob = try? await upload.blob(in: storage.staging)
        guard storage.staging.isShared else {
            await blob?.discard()
            return
        }
        await blob?.discard { try await needsStagedBytes(upload.id) }
    }

    /// Removes the staged bytes of an ended upload, and ends its progress streams.
    func discardStaged(of upload: ActiveUpload) async {
        await discardStagedUnlessTaken(upload)
        upload.with { $0.isEnded = true }
        upload.use.with { $0.blob = nil }
        upload.progressStreams.finish()
    }
}
