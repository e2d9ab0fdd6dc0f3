/// What an upload needs on a shared store, where requests for it run on several servers (docs/scale-out.md, "Uploads
/// through several servers"). On a server that is alone, its locks and its memory are enough.
extension UploadHandle {
    /// Reads the rows again on a shared store; the state then has no other parts than those that were read.
    ///
    /// - Parameter parts: The parts that the request needs.
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if the upload has ended.
    func refresh(_ parts: UploadRecords.PartSelection = .all) async throws {
        guard service.isShared else { return }
        guard let found = try await service.records.find(id: active.id, reading: parts),
            found.upload.tokenDigest == stored.tokenDigest
        else {
            active.with { $0.isEnded = true }
            throw UploadService.notFound
        }
        active.update(found)
    }

    /// Begins to write a part; `nil` on a server that is alone.
    ///
    /// - Throws: The errors of ``UploadRecords/begin(_:of:row:breaking:within:)``.
    func attempt(_ request: PartRequest, row: ObjectID? = nil) async throws -> PartAttempt? {
        guard service.isShared else { return nil }
        return try await service.unlessLeased(active.id) { [active, service] dead in
            try await service.records.begin(request, of: active.id, row: row, breaking: dead, within: service.limits)
        }
    }

    /// Records bytes of an attempt that were written through a blob: bytes first, row second.
    func record(
        _ part: PartLayout.Part,
        in blob: any StagedBlob,
        by attempt: PartAttempt,
        ending isOver: Bool
    ) async throws {
        // A client that disconnects now must not prevent its bytes from being counted.
        try await shieldedFromCancellation { [active, service] in
            do {
                try await active.synchronize(blob)
                let saved = try await service.records.record(
                    part,
                    by: attempt,
                    ending: isOver,
                    of: active.id,
                    within: service.limits
                )
                active.with { state in
                    state.partIDs[attempt.number] = saved.part.id
                    state.replaceStored(by: saved.upload)
                    state.held[attempt.number] = nil
                    if let part = saved.part.part { state.layout.record(attempt.number, part) }
                }
            } catch let error as ServiceError where [.uploadNotFound, .superseded].contains(error.code) {
                await service.discardLate(active)
                throw error
            }
        }
    }

    /// Confirms that the bytes of an attempt are the current ones of their block, which is not complete with them.
    func confirm(_ attempt: PartAttempt, holding bytes: Int64) async throws {
        do {
            try await service.records.confirm(attempt, holding: bytes, of: active.id)
            active.with { $0.held[attempt.number] = bytes }
        } catch let error as ServiceError where [.uploadNotFound, .superseded].contains(error.code) {
            await service.discardLate(active)
            throw error
        }
    }

    /// Runs a body while no other request writes to the upload or ends it, on any server.
    ///
    /// - Parameters:
    ///   - waits: Whether to wait for a request of another server that creates the file.
    ///   - body: Runs with all locks of the upload and, unless the upload is finished, with the lease.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/overloaded`` if another server holds the lease for too long; errors of the body.
    func exclusively<Result: Sendable>(
        waiting waits: Bool = true,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await active.locks.withAllLocks { [self] in
            guard service.isShared else {
                try await decideCommit()
                return try await body()
            }
            try requireNotEnded()
            let lease = try await service.unlessLeased(active.id, waiting: waits) { [active, service] dead in
                try await service.records.takeLease(of: active.id, breaking: dead)
            }
            guard let lease else {
                try await refresh()
                return try await body()
            }
            return try await holding(lease, body)
        }
    }

    private func holding<Result: Sendable>(
        _ lease: FinishLease,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        active.with { $0.lease = lease }
        return try await withThrowingTaskGroup(of: Void.self) { [self] group in
            group.addTask { [service] in await service.renew(lease) }
            defer { group.cancelAll() }
            do {
                try await refresh()
                let result = try await body()
                await release()
                return result
            } catch {
                await release()
                throw error
            }
        }
    }

    /// Ends the lease, unless the transaction that finished the upload has.
    private func release() async {
        let (held, leavesPut) = active.with { state in
            defer { (state.lease, state.leavesPut) = (nil, false) }
            return (state.lease, state.leavesPut)
        }
        guard let held else { return }
        // Without a release the lease is dead after a while.
        _ = try? await shieldedFromCancellation { [service] in
            try await service.records.release(held, leavingPut: leavesPut)
        }
    }
}
