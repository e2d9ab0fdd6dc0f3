internal import Domain
internal import S3
internal import Synchronization

/// The notes of commits: objects without bytes, whose names say all.
extension S3StagedBlob {
    /// Begins with a note that is in the bucket.
    func take(_ note: StagingNames.Note) {
        noting.withLock { $0 = (note, false) }
    }

    func noteCommit(as blob: BlobName, of file: ObjectID) async throws {
        let commit = CommitNote(file: file, blob: blob, isDraft: folder.isDraft)
        let new = StagingNames.Note(commit: commit, server: area.servers.own, folder: folder)
        // One of another blob is of an ended upload with the same id, and all that is known of that blob.
        let old = noting.withLock { noting in
            if noting.note?.commit.blob != blob { noting = (nil, false) }
            return noting.note
        }
        let start = try await area.bucket.run { [area] client in
            try area.servers.renew()
            let start = ContinuousClock.now
            try client.put(area.names.name(of: new), bytes: [])
            // An earlier put of the blob, or another server's; if it stays, it is undecided as it was.
            if let old, old != new { try client.delete([area.names.name(of: old)]) }
            return start
        }
        notedAt.withLock { $0 = start }
        endNote()
        noting.withLock { $0.note = new }
    }

    func requireOwnCommit() throws {
        guard let start = notedAt.withLock(\.self), !area.servers.isUnbroken(since: start) else { return }
        throw ServiceError(
            .overloaded,
            "The S3 store answers too slowly: another server can have taken this one for ended. Try again."
        )
    }

    func cancelCommit() async throws {
        guard let note = noting.withLock(\.note) else { return endNote() }
        try await shieldedFromCancellation { [area] in
            try await area.bucket.run { client in try client.delete([area.names.name(of: note)]) }
        }
        endNote()
    }

    func keepNote() {
        guard let note = noting.withLock(\.note) else { return }
        noting.withLock { $0.isKept = true }
        area.unsettledFolders.keep(note)
    }

    func discard() async {
        let (note, isKept) = noting.withLock(\.self)
        guard !isKept else { return }
        let isWritten = isShared || state.withLock { $0.lastNumber > 0 }
        forget()
        guard isWritten || note != nil else { return }
        if area.unsettledFolders.isRead(folder) {
            let keys = await shieldedFromCancellation { [area, folder] in try? await area.keys(in: folder) }
            guard !area.unsettledFolders.postpone(.init(note: note, keys: keys), of: folder) else { return }
        }
        let isDone = await shieldedFromCancellation { [area, folder] in
            (try? await area.bucket.run { _ in area.remove(folder, note, isWritten ? nil : []) }) != nil
        }
        if !isDone { area.unsettledFolders.keepRemoval(folder, note) }
    }

    func discard(unless isNeeded: @escaping @Sendable () async throws -> Bool) async {
        let (note, isKept) = noting.withLock(\.self)
        guard !isKept else { return }
        await shieldedFromCancellation { [self] in
            do {
                let keys = try await area.keys(in: folder)
                // Asked after the list: what another upload gets later is not in it.
                guard try await !isNeeded() else { return }
                forget()
                guard !area.unsettledFolders.postpone(.init(note: note, keys: keys), of: folder) else { return }
                try await area.remove(keys, note)
            } catch {
                area.unsettledFolders.keepRemoval(folder, note)
            }
        }
    }

    /// Ends the note, and forgets the bytes, which are about to be removed.
    private func forget() {
        dropMemory()
        endNote()
        state.withLock { state in
            state.segments = [:]
            state.map = SegmentMap()
        }
    }

    private func endNote() {
        let ended = noting.withLock { noting in
            defer { noting = (nil, false) }
            return noting.note
        }
        if let ended { area.unsettledFolders.release(ended.commit) }
    }
}
