package import Logging

/// The result of a sweep.
package struct Swept: Sendable, Hashable {
    /// The number of removed uploads, which expired before their file existed.
    package var uploads = 0
    /// The number of their received bytes.
    package var bytes: Int64 = 0

    /// Creates an empty result.
    package init() {}
}

extension UploadService {
    /// Finishes uploads that have all their bytes, decides commits that a failure left undecided, then removes expired
    /// uploads with their bytes.
    ///
    /// Uploads to which a client is sending stay.
    package func sweep() async throws -> Swept {
        var swept = Swept()
        var seen: Set<ObjectID> = []
        var failure: (any Error)?
        do {
            // Other servers can have ended without finishing what they received.
            if isShared {
                for complete in try await records.leftUnfinished().complete { unfinished.insert(complete) }
            }
        } catch {
            failure = error
        }
        if let error = await finishComplete() { failure = error }
        do {
            try await settle()
        } catch {
            failure = error
        }
        while true {
            // An upload that cannot be removed must not block the others, nor the sweep.
            let expired = try await records.expired(at: clock()).filter { seen.insert($0.id).inserted }
            if expired.isEmpty { break }
            for upload in expired {
                do {
                    try await end(upload, &swept)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return swept
    }

    private func end(_ upload: StoredUpload, _ swept: inout Swept) async throws {
        let (isOver, bytes) = try await active.using(upload.tokenDigest) { [records] in
            try await records.find(id: upload.id)
        } _: { active -> (Bool, Int64) in
            guard let active else { return (false, 0) }
            guard active.locks.areFree else {
                try await postpone(active, by: limits.startTimeout)
                return (false, 0)
            }
            let bytes = active.progress.received
            active.use.with { $0.isExpiring = true }
            defer { active.use.with { $0.isExpiring = false } }
            return try await active.locks.withAllLocks {
                if isShared { return (try await removeExpired(active) ?? false, bytes) }
                // A client can have ended it, or sent its first bytes, since the query.
                guard active.stored.expiresAt <= clock() else { return (false, 0) }
                let isOver = try await removeRow(of: active.id) ?? false
                await discardStaged(of: active)
                return (isOver, bytes)
            }
        }
        guard isOver else { return }
        swept.uploads += 1
        swept.bytes += bytes
    }

    /// Removes an upload that has expired, unless another server receives bytes of it or creates its file.
    ///
    /// - Returns: Whether the upload was unfinished; `nil` if it stays.
    private func removeExpired(_ active: ActiveUpload) async throws -> Bool? {
        let now = clock()
        let start = now.adding(seconds: -limits.startTimeout)
        guard try await !records.hasOpenAttempt(of: active.id, since: start) else { return nil }
        do {
            let isOver = try await unlessLeased(active.id, waiting: false) { dead in
                try await removeRow(of: active.id, breaking: dead) { $0.expiresAt <= now }
            }
            if isOver != nil { await discardStaged(of: active) }
            return isOver
        } catch let error as ServiceError where error.code == .overloaded {
            return nil
        }
    }

    /// Decides the commits that were left undecided by a failure of the storage.
    ///
    /// Those of unfinished uploads are left to the uploads' own end, which begins them again.
    private func settle() async throws {
        var failure: (any Error)?
        for note in try await storage.staging.unsettled(besides: { try await isUnfinished($0) }) {
            do {
                if try await isLeftToUpload(note) { continue }
                try await excludingFetches(of: note) {
                    // Read first: an upload that has ended gets no record any more.
                    let isOpen = try await isUnfinished(note.file)
                    let isCommitted = try await records.isCommitted(note.file, with: note.blob, certainly: true)
                    if !isCommitted, isShared || !note.isDraft, isOpen { return }
                    try await storage.settle(note, isCommitted: isCommitted, keepingBytes: false)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Whether an upload decides the commit of its single request: at once, or in the request that uses it.
    ///
    /// A repeated request commits under the same note. So on a server that is alone only the holder of the upload's locks
    /// decides.
    private func isLeftToUpload(_ note: CommitNote) async throws -> Bool {
        guard !isShared, note.isDraft else { return false }
        return try await using(id: note.file, describing: .unused) { upload in
            if upload.active.locks.areFree { try await upload.exclusively {} }
            return true
        } ?? false
    }

    /// Lets an upload expire no earlier than in a number of seconds.
    func postpone(_ active: ActiveUpload, by seconds: Int) async throws {
        let end = clock().adding(seconds: seconds)
        try await change(active) { $0.expiresAt = max($0.expiresAt, end) }
    }

    /// Recovers the uploads of a server that was killed; call it before the first request.
    ///
    /// Interrupted commits are completed or reverted, depending on whether the record exists; staged bytes that belong
    /// to no upload are removed. Uploads that have all their bytes and no file are noted for ``finishRecovered()``.
    /// What a damaged row decides stays as it is: the bytes, until an operator has repaired or removed the row.
    package func recover(_ logger: Logger) async throws {
        for leftover in try await storage.staging.leftovers() {
            do {
                try await recover(leftover, logger)
            } catch let error where StorageFault(error) == .damaged {
                logger.critical(
                    "The row of an upload is damaged: its bytes stay in staging/ (lcfile check)",
                    metadata: ["app": "\(app)", "error": "\(error.logged)"]
                )
            }
        }
        let left = try await records.leftUnfinished()
        for id in left.damaged {
            logger.critical(
                "The row of an upload, or of a part of one, is damaged, so the upload is not finished (lcfile check)",
                metadata: ["app": "\(app)", "id": "\(id)"]
            )
        }
        // Their clients never received the URLs, and their pieces still exist. Other servers can be creating some:
        // those expire.
        if !isShared {
            for final in left.finals { _ = try await records.remove(final) }
        }
        for complete in left.complete { unfinished.insert(complete) }
        try await records.recountShares()
    }

    private func recover(_ leftover: StagingLeftover, _ logger: Logger) async throws {
        switch leftover {
        case .committing(let note):
            try await end(note, logger)
        case .staged(let upload):
            guard try await !isUnfinished(upload) else { return }
            await storage.staging.discard(stagedAs: upload) { try await isUnfinished(upload) }
        }
    }

    /// Runs a body that decides a commit, while no request fetches the same file for the mirror, on any server.
    ///
    /// Fetches of one missing file, one after the other, put their bytes under the same name, and only a claim on the key
    /// excludes them. Commits of uploads have locks or leases instead, and those of single requests ids of their own.
    func excludingFetches(of note: CommitNote, _ body: () async throws -> Void) async throws {
        guard note.isDraft, let deletions, let key = try await files.missingKey(of: note.file),
            BlobName(key) == note.blob
        else { return try await body() }
        try await deletions.claiming(key, body)
    }

    private func end(_ note: CommitNote, _ logger: Logger) async throws {
        let isOpen = try await isUnfinished(note.file)
        let wasCommitted = try await records.isCommitted(note.file, with: note.blob, certainly: false)
        let isKept = isOpen && !wasCommitted
        // Another server can be creating the file; the upload's own end decides.
        if isShared, isKept { return }
        do {
            try await excludingFetches(of: note) {
                let isCommitted = try await records.isCommitted(note.file, with: note.blob, certainly: false)
                try await storage.settle(note, isCommitted: isCommitted, keepingBytes: isKept)
                logger.notice(
                    "A commit was interrupted by the previous end of the server",
                    metadata: ["file": "\(note.file)", "result": isCommitted ? "kept" : "undone"]
                )
            }
        } catch {
            // The upload cannot continue without its parts; other bytes can be removed later.
            guard !isKept else { throw error }
            logger.error(
                "An interrupted commit cannot be ended now; a sweep or the next start tries again",
                metadata: ["file": "\(note.file)", "error": "\(error.logged)"]
            )
        }
    }

    private func isUnfinished(_ id: ObjectID) async throws -> Bool {
        try await needsStagedBytes(records.file(ofPut: id))
    }

    /// Whether there is an upload with an id that needs the bytes under it: it is unfinished, or a piece of a file.
    func needsStagedBytes(_ id: ObjectID) async throws -> Bool {
        guard let upload = try await records.find(id: id, reading: .none)?.upload else { return false }
        return !upload.isFinished || upload.kind == .partial
    }
}

extension StagingArea {
    fileprivate func discard(
        stagedAs name: ObjectID,
        unless isNeeded: @escaping @Sendable () async throws -> Bool
    ) async {
        let staged = try? await stage(as: name)
        await staged?.discard(unless: isNeeded)
    }
}
