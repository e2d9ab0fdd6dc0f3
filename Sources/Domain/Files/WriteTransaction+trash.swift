/// The changes of the trash, each in the transaction that also changes the records or the deletion queue.
extension WriteTransaction {
    /// Puts files into the trash; called in the transaction that deletes their records.
    ///
    /// Their bytes count as bytes in the trash from now on. A row of the deletion queue for each of them makes the
    /// worker move them away from their keys.
    ///
    /// - Parameters:
    ///   - records: The records as they were.
    ///   - seconds: How long they stay.
    ///   - reason: Why they are deleted.
    ///   - caller: Who deletes them.
    ///   - now: The time of the deletion.
    ///   - ids: Generates the ids of the entries.
    /// - Returns: The entries.
    /// - Throws: Errors of the store.
    @discardableResult
    func moveToTrash(
        _ records: [StoredObject],
        for seconds: Int,
        because reason: TrashEntry.Reason,
        by caller: Caller,
        at now: Timestamp,
        ids: ObjectIDGenerator
    ) throws -> [TrashEntry] {
        let entries = records.map { record in
            TrashEntry(
                id: ids.next(),
                record: record,
                deletedAt: now,
                expiresAt: now.adding(seconds: seconds),
                reason: reason,
                deletedBy: caller.nameInTrash
            )
        }
        var usage = try usage()
        for entry in entries {
            try insert(entry.object, into: .trash)
            guard let file = StoredFile(entry.record) else { continue }
            usage = usage - .file(file.size) + .trashed(file.size)
            try insert(PendingDeletion.trashing(entry.id, file.blob, at: now), into: .deletion)
        }
        try save(usage, at: now)
        return entries
    }

    /// Removes entries for good: their bytes follow through the deletion queue.
    ///
    /// - Parameters:
    ///   - ids: The entries; a missing one is not an error.
    ///   - now: The time of the removal.
    /// - Returns: The number of the entries that were still there.
    /// - Throws: Errors of the store.
    @discardableResult
    package func removeFromTrash(_ ids: [ObjectID], at now: Timestamp) throws -> Int {
        let entries = try rows(Set(ids), in: .trash, readableBy: .unrestricted, upTo: .max).map {
            try TrashEntry(stored: try $0.object())
        }
        guard !entries.isEmpty else { return 0 }
        try delete(entries.map(\.id), in: .trash)
        let withBytes = entries.filter { StoredFile($0.record) != nil }
        // A row that is still there makes the worker remove the bytes from the key and from the trash.
        let queued = Set(try pendingDeletions(Set(withBytes.map(\.id))).map(\.id))
        for entry in withBytes where !queued.contains(entry.id) {
            try insert(PendingDeletion.trashing(entry.id, nil, at: now), into: .deletion)
        }
        try save(withBytes.reduce(try usage()) { $0 - .trashed($1.size) }, at: now)
        return entries.count
    }

    /// Adds the row that makes the worker move bytes back to the trash, before ``BlobTrash/restore(_:)`` gives them
    /// their key.
    ///
    /// - Throws: The errors of ``requireRestorable(_:)``; ``KeyHasOtherBytes``; errors of the store.
    func noteRestoring(_ entry: TrashEntry, _ key: FileKey, at now: Timestamp) throws {
        try requireRestorable(entry)
        // A delete takes no claim on the key, so it can have been committed after the claim was taken.
        let deletions = try pendingDeletions(.all, where: PendingDeletion.has(key))
        guard deletions.allSatisfy({ $0.id == entry.id }) else { throw KeyHasOtherBytes() }
        if try pendingDeletions([entry.id]).isEmpty {
            let blob = FileBlob(key: key, file: entry.record.id, replaced: entry.record.replacedFile)
            try insert(PendingDeletion.trashing(entry.id, blob, at: now), into: .deletion)
        }
    }

    /// Makes an entry a file again, after its bytes have their key.
    ///
    /// - Throws: The errors of ``requireRestorable(_:)``; errors of the store.
    package func restore(_ entry: TrashEntry, at now: Timestamp) throws {
        try requireRestorable(entry)
        try insert(entry.record, into: .file)
        try delete([entry.id], in: .trash)
        if let key = entry.record.fileKey {
            let gone = try find(ObjectQuery(.goneKey, where: FileRecords.has(key), page: .all))
            try delete(gone.map(\.id), in: .goneKey)
        }
        // Its check ended without a verdict when the record was deleted.
        if entry.record.verdict == .pending {
            try delete([entry.record.id], in: .censorJob)
            try insert(CensorJob(.check, of: entry.record.id, at: now).object, into: .censorJob)
        }
        guard let file = StoredFile(entry.record) else { return }
        // The bytes have a second name in the trash, which the worker removes.
        try delete([entry.id], in: .deletion)
        try insert(PendingDeletion.trashing(entry.id, nil, at: now), into: .deletion)
        try save(try usage() - .trashed(file.size) + .file(file.size), at: now)
    }

    /// Throws unless the entry is still there, and neither its id nor its key has a file.
    func requireRestorable(_ entry: TrashEntry) throws {
        guard try row(entry.id, in: .trash) != nil else { throw TrashEntry.missing }
        guard try row(entry.record.id, in: .file) == nil else {
            throw ServiceError(
                .duplicateValue,
                "The file cannot be restored: another file has the objectId '\(entry.record.id)' now."
            )
        }
        guard let key = entry.record.fileKey, let other = try record(with: key) else { return }
        throw ServiceError(
            .duplicateValue,
            "The file cannot be restored: the file '\(other.id)' has the key '\(key)' now."
        )
    }
}

/// The bytes of another deleted file are still under a key.
struct KeyHasOtherBytes: Error {}

extension TrashEntry {
    /// The error for an id without an entry.
    static let missing = ServiceError(.objectNotFound, "The trash has no such file.")
}
