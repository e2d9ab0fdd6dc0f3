/// The staging area and the blob store of one app, and the steps of a commit between them (docs/storage-format.md, "How
/// an upload becomes durable").
///
/// The steps are note in the journal, blob, record, end of the note: at every moment a blob has a record or a note.
package struct BlobStorage: Sendable {
    /// The bytes that are not blobs yet.
    package let staging: any StagingArea
    /// The blobs.
    package let blobs: any BlobStore

    /// Creates a storage; the two parts can be of different kinds.
    package init(staging: any StagingArea, blobs: any BlobStore) {
        self.staging = staging
        self.blobs = blobs
    }

    /// Makes finished staged bytes a blob; on return, bytes and name survive a power cut.
    ///
    /// The note stays until ``StagedBlob/discard()``, which is called after the record is stored. On failure the bytes
    /// are staged as before.
    ///
    /// - Throws: ``ServiceError/Code/duplicateValue`` if the key is taken; errors of the storage.
    package func commit(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        as key: FileKey,
        of file: ObjectID
    ) async throws {
        try await staged.noteCommit(as: BlobName(key), of: file)
        do {
            try await blobs.put(staged, facts, as: key, of: file)
        } catch let error as ServiceError where error.code == .duplicateValue {
            // The blob belongs to another file. If the note stays, the next start detects that, too.
            try? await staged.cancelCommit()
            throw error
        } catch {
            await revert(staged, as: key, of: file)
            throw error
        }
    }

    /// Reverts a commit whose record was not stored: removes the blob; the bytes are staged as before.
    ///
    /// If that fails, the note stays, and the next sweep or start reverts the commit. Not affected by cancellation.
    package func revert(_ staged: any StagedBlob, as key: FileKey, of file: ObjectID) async {
        await shieldedFromCancellation {
            do {
                try await blobs.undo(staged, as: BlobName(key), of: file)
                try await staged.cancelCommit()
            } catch {
                staged.keepNote()
            }
        }
    }

    /// Completes or reverts a commit that was interrupted by the end of a server or by a failure of the storage.
    ///
    /// - Parameters:
    ///   - note: The note in the journal.
    ///   - isCommitted: Whether the file's record exists: then the blob stays, otherwise it is removed.
    ///   - isKept: Whether the bytes of a reverted commit are staged again; those of a draft never are.
    /// - Throws: The error that left the commit unresolved; its note stays then.
    package func settle(_ note: CommitNote, isCommitted: Bool, keepingBytes isKept: Bool) async throws {
        guard let staged = try await staging.reopen(note) else { return }
        if !isCommitted {
            try await blobs.undo(staged, as: note.blob, of: note.file)
            if isKept, !note.isDraft { return try await staged.cancelCommit() }
        }
        await staged.discard()
    }
}
