/// How a file comes back from the trash: note, bytes, record, end of the note.
extension TrashService {
    /// The number of deletes of the same key that a restore waits for, one after the other.
    private static let attempts = 8

    /// Restores a file with its id, key, times, ACL and metadata.
    ///
    /// - Parameters:
    ///   - id: The id of the entry, or of its file; of several entries of one file, the newest.
    ///   - caller: The caller.
    /// - Returns: The file as clients see it.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/objectNotFound``;
    ///   ``ServiceError/Code/duplicateValue`` if the id or the key has another file; ``ServiceError/Code/fileNotFound``
    ///   if the bytes are lost.
    package func restore(_ id: ObjectID, as caller: Caller) async throws -> [String: JSONValue] {
        try caller.requireMasterKey()
        guard let entry = try await store.read({ try $0.trashEntry(id) }) else { throw TrashEntry.missing }
        try await restore(entry, as: caller)
        return shown(entry.record)
    }

    /// Restores the file of an entry.
    func restore(_ entry: TrashEntry, as caller: Caller) async throws {
        let clock = settings.clock
        guard let file = StoredFile(entry.record) else {
            return try await store.write { writer in
                writer.caller = caller
                try writer.restore(entry, at: clock())
            }
        }
        for _ in 0..<TrashService.attempts {
            do {
                return try await restore(entry, file, as: caller)
            } catch is KeyHasOtherBytes {
                // The next claim waits for them.
            }
        }
        throw KeyClaims.taken(file.key)
    }

    /// Restores a file with bytes.
    ///
    /// - Throws: ``KeyHasOtherBytes`` if the file that had the key was deleted meanwhile; nothing was changed then.
    private func restore(_ entry: TrashEntry, _ file: StoredFile, as caller: Caller) async throws {
        let clock = settings.clock
        // The claim waits until the bytes of all deleted files with the key, also of this one, are away from it.
        try await uploads.claiming(file.key) {
            try await store.write { try $0.noteRestoring(entry, file.key, at: clock()) }
            guard try await blobs.restore(TrashedBlob(entry: entry.id, blob: file.blob)),
                let blob = try await blobs.open(file.blob), blob.size == file.size
            else {
                throw ServiceError(.fileNotFound, "The bytes of the file are lost or damaged; it cannot be restored.")
            }
            try await store.write { writer in
                writer.caller = caller
                try writer.restoreKnowingDamage(entry, at: clock())
            }
        }
    }

    /// An entry as the API shows it.
    package func members(of entry: TrashEntry) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "objectId": .string(entry.id.description),
            "file": .string(entry.record.id.description),
            "reason": .string(entry.reason.rawValue),
            "by": .string(entry.deletedBy),
            "size": .integer(entry.size),
            "deletedAt": .string(entry.deletedAt.iso8601),
            "expiresAt": .string(entry.expiresAt.iso8601),
            "createdAt": .string(entry.record.createdAt.iso8601),
        ]
        for name in ["key", "name", "url", "mime_type", "metaData"] { members[name] = entry.record.fields[name] }
        return members
    }

    /// A restored file as its client sees it.
    private func shown(_ record: StoredObject) -> [String: JSONValue] {
        if let file = try? FileRecord(stored: record) { return settings.files.members(of: file) }
        var members = record.fields.filter { !$0.key.hasPrefix("_") }
        members["objectId"] = .string(record.id.description)
        members["createdAt"] = .string(record.createdAt.iso8601)
        members["updatedAt"] = .string(record.updatedAt.iso8601)
        return members
    }
}

extension WriteTransaction {
    /// Makes an entry a file again; the scrubber examines its bytes if they were damaged when it was deleted.
    ///
    /// The row about the damage went with the record. Without one the file would not be served, and nothing would find
    /// out that its bytes are whole again.
    ///
    /// - Throws: The errors of ``restore(_:at:)``.
    func restoreKnowingDamage(_ entry: TrashEntry, at now: Timestamp) throws {
        try restore(entry, at: now)
        guard entry.record.isDamaged, let file = FileEntry(record: entry.record) else { return }
        _ = try note(KnownDamage(file, "was damaged when it was deleted", identity: nil, id: entry.id, at: now))
    }
}
