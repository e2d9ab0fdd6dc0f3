/// The two places of one app's bytes, and the steps of a commit between them (docs/storage-format.md, "How an upload
/// becomes durable").
///
/// Note in the journal, blob, record, end of the note: at every moment a blob has a record or a note.
package struct BlobStorage: Sendable {
    /// Where bytes are until they are blobs.
    package let staging: any StagingArea
    /// Where blobs are.
    package let blobs: any BlobStore

    /// Takes both; they may be of different kinds.
    package init(staging: any StagingArea, blobs: any BlobStore) {
        self.staging = staging
        self.blobs = blobs
    }

    /// Makes finished staged bytes of a file a blob; on return, bytes and name survive a power cut.
    ///
    /// The note stays until ``StagedBlob/discard()``, which is called once the record is stored. On failure the bytes
    /// are staged as before.
    ///
    /// - Throws: ``ServiceError/Code/duplicateValue`` if the key is taken; the fault of the storage.
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
            // The blob is another file's. Should the note stay, the next start finds that out as well.
            try? await staged.cancelCommit()
            throw error
        } catch {
            await revert(staged, as: key, of: file)
            throw error
        }
    }

    /// Takes a commit back whose record was not stored: the blob is gone, the bytes are staged as before.
    ///
    /// If that fails, the bytes keep their note, and the next start takes the commit back. Not affected by cancellation.
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

    /// Ends a commit that the end of a server interrupted.
    ///
    /// - Parameters:
    ///   - note: What the journal says.
    ///   - isCommitted: Whether the file's record is there: then the blob stays, else it goes.
    ///   - isKept: Whether the bytes of an undone commit are staged as before; those of a draft never are.
    /// - Throws: Why the commit is not ended; its note stays then.
    package func settle(_ note: CommitNote, isCommitted: Bool, keepingBytes isKept: Bool) async throws {
        guard let staged = try await staging.reopen(note) else { return }
        if !isCommitted {
            try await blobs.undo(staged, as: note.blob, of: note.file)
            if isKept, !note.isDraft { return try await staged.cancelCommit() }
        }
        await staged.discard()
    }
}
