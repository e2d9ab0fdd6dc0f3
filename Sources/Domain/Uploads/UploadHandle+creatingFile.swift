extension UploadHandle {
    /// Creates the file of parts in their order; called with all locks of the upload held.
    ///
    /// - Parameters:
    ///   - order: The numbers of the parts.
    ///   - waits: Whether to wait for a permit if the parts must be copied.
    /// - Returns: The file's record.
    /// - Throws: Errors of the rules. After a few refusals that depend on the bytes, the upload is removed.
    func complete(parts order: [Int], waiting waits: Bool = true) async throws -> FileRecord {
        guard let pieces = active.with({ $0.layout.pieces(of: order) }) else { throw UploadService.notFound }
        let size = pieces.size
        try service.limits.requireSize(size)
        if let announced = stored.size, announced != size {
            throw ServiceError(.badRequest, "The announced size is \(announced) bytes, but the parts have \(size).")
        }
        let caller = try await requireEnding(size: size)
        do {
            return try await complete(pieces, as: caller, waiting: waits)
        } catch let error as ServiceError where UploadHandle.isFinal(error) {
            if !active.with(\.isEnded), await countRefusal() { await drop() }
            throw error
        }
    }

    private func complete(
        _ pieces: [PartLayout.Piece],
        as caller: Caller,
        waiting waits: Bool
    ) async throws -> FileRecord {
        let size = pieces.size
        let needsMD5 = stored.description.announcesMD5
        let staged = try await active.blob(in: service.storage.staging)
        // Parts that the list leaves out can follow; if the list is refused, they still count.
        let extent = try await staged.extent()
        if active.with({ $0.layout.areContiguousFile(pieces, extent: extent) }) {
            return try await complete(staged, try await staged.finish(size: size, needsMD5: needsMD5))
        }
        return try await service.copyPermits.holding(for: caller, waiting: waits) { [self] in
            try await copy([(staged, pieces)])
        } storing: { [self] copied in
            try await complete(copied)
        }
    }

    /// Checks staged bytes, creates their file and ends the upload.
    ///
    /// - Parameters:
    ///   - staged: All bytes of the file.
    ///   - facts: Their facts.
    /// - Returns: The file's record.
    /// - Throws: Errors of the rules; the staged bytes stay then.
    func complete(_ staged: any StagedBlob, _ facts: StagedFacts) async throws -> FileRecord {
        try await complete(staged, facts.blob, try await record(of: facts))
    }

    /// The record of the upload's file, if its bytes are allowed.
    func record(of facts: StagedFacts) async throws -> FileRecord {
        if let size = stored.size { try service.verify(size: size, facts.blob) }
        return try await service.record(
            of: facts,
            stored.description,
            SystemFields(id: active.id, createdAt: stored.createdAt, updatedAt: stored.updatedAt),
            key: stored.key,
            as: stored.creator.caller(in: service.app)
        )
    }

    /// Creates the file of staged bytes and ends the upload: bytes first, row second.
    ///
    /// - Parameters:
    ///   - staged: All bytes of the file.
    ///   - facts: Their facts.
    ///   - record: The file's record.
    ///   - spent: Uploads that end with this one.
    /// - Returns: The file's record.
    /// - Throws: Errors of the rules; the staged bytes stay then.
    func complete(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        _ record: FileRecord,
        spending spent: [ObjectID] = []
    ) async throws -> FileRecord {
        let hasParts =
            service.isShared || active.use.with { $0.blob != nil } || active.with { !$0.layout.parts.isEmpty }
        // All bytes are here: whether the client still is does not matter any more.
        try await shieldedFromCancellation { [self] in
            do {
                try await service.claiming(record.key, reading: { try $0.record(with: record.key) }) { known in
                    if let created = try known.flatMap(FileRecords.record), created.mirrorState == .created {
                        return try await finish(record, replacing: created, spending: spent)
                    }
                    try await put(staged, facts, record, spending: spent)
                }
            } catch let error as ServiceError where error.code == .duplicateValue {
                try await requireTaken(record.key)
                // The key has a file now, so this upload can never have one.
                let isDropped = await drop()
                // With a lost lease, it is the file of this upload.
                throw isDropped || active.with { $0.lease == nil } ? error : UploadHandle.superseded
            }
            await staged.discard()
            // Parts that are not in the file, or were copied.
            if hasParts { try? await service.storage.staging.stage(as: active.id).discard() }
        }
        return record
    }

    /// Stores the blob and then the record, or neither.
    private func put(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        _ record: FileRecord,
        spending spent: [ObjectID]
    ) async throws {
        let lease = active.with(\.lease)
        // The mirror can have begun one for the same file since this request decided those of the upload.
        if !service.isShared { try await service.settleRequests(for: record.id) }
        for earlier in lease?.abandonedPuts ?? [] {
            // Its holder has lost the lease, so it never gets a record.
            try await service.storage.blobs.undo(staged, as: BlobName(record.key), of: earlier)
        }
        let put = lease?.put ?? record.id
        // Also a put that was undone: the store can execute a request of it, or of its end, at any later moment.
        active.with { $0.leavesPut = lease != nil }
        do {
            try await service.storage.commit(staged, facts, as: record.key, of: put)
        } catch {
            // After a failed sync, a further one of the same open file proves nothing.
            active.use.with { $0.blob = nil }
            throw error
        }
        do {
            _ = try await markFinished(record, spending: spent)
        } catch {
            guard try await isFinished(reverting: staged, record, put: put) else { throw error }
        }
    }

    /// Throws ``ServiceError/Code/overloaded`` if only a server that has lost its lease can have taken the key.
    private func requireTaken(_ key: FileKey) async throws {
        guard active.with({ $0.lease?.abandoned ?? 0 > 0 }), try await service.files.file(key: key) == nil else {
            return
        }
        throw UploadService.isBusy
    }

    /// Ends the upload with the bytes that the mirror has stored under the key; called with a claim on the key.
    private func finish(
        _ record: FileRecord,
        replacing created: FileRecord,
        spending spent: [ObjectID]
    ) async throws {
        guard stored.creator.isMaster, created.facts.digest == record.facts.digest else {
            throw ServiceError(
                .duplicateValue,
                "The key '\(record.key)' is taken: the mirror has stored other bytes under it."
            )
        }
        do {
            _ = try await markFinished(record, spending: spent, replacing: created)
        } catch {
            active.with { $0.isUndecided = !service.isShared }
            throw error
        }
    }

    /// Stores that the upload is finished, together with its file's record.
    ///
    /// - Returns: The final upload that waits for this one.
    func markFinished(
        _ record: FileRecord?,
        spending spent: [ObjectID] = [],
        replacing created: FileRecord? = nil
    ) async throws -> ObjectID? {
        let caller = try await service.sessions.revalidated(stored.creator.caller(in: service.app))
        var finished = stored
        finished.isStarted = true
        finished.isFinished = true
        if let record {
            finished.size = record.facts.size
            finished.expiresAt = service.clock().adding(seconds: UploadHandle.memory)
        }
        let (successor, ended) = try await service.records.finish(
            finished,
            record,
            spending: spent,
            replacing: created,
            as: caller,
            within: service.limits.quota,
            holding: active.with(\.lease)
        )
        active.finish(finished)
        for digest in ended { await service.forget(digest) }
        return successor
    }

    /// Seconds for which a finished upload is stored, for clients that repeat their request.
    private static let memory = 3600
}
