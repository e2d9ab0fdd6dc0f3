extension UploadHandle {
    /// Whether all announced bytes are stored, as the one part that grows.
    var isComplete: Bool {
        active.with { state in
            guard let size = state.stored.size, state.layout.parts.keys.allSatisfy({ $0 == UploadHandle.number })
            else { return false }
            return state.layout.parts[UploadHandle.number]?.size ?? 0 == size
        }
    }

    /// Finishes the upload if all its bytes are stored: creates the file, or marks the partial upload as complete.
    ///
    /// The request that sent the last byte calls this. `HEAD` and the sweep also call it, for uploads whose last
    /// request was interrupted by the end of the server or failed, for example because the disk was full. So the last
    /// byte and the file are one step that is repeated until it succeeds.
    ///
    /// - Throws: Errors of the rules. If no later attempt can succeed (type, checksum, a key that is taken), the upload
    ///   and its bytes are removed; otherwise both stay, and the next call tries again.
    package func finishIfComplete() async throws {
        try await finishIfComplete(waiting: true)
    }

    /// The same; `waits` says whether to wait for a permit to copy, and for a request of another server that creates the
    /// file.
    func finishIfComplete(waiting waits: Bool) async throws {
        if stored.isWaiting { return try await concatenateIfFinished(waiting: waits) }
        guard isComplete, !stored.isFinished else { return }
        // A client that disconnects now does not cancel it.
        try await shieldedFromCancellation { [self] in
            do {
                let successor = try await exclusively(waiting: waits) { [self] in try await finish(waiting: waits) }
                // The piece is finished even if the file fails; HEAD of the final upload reports that.
                if let successor { await service.concatenateIfFinished(successor, waiting: waits) }
            } catch {
                if !active.with(\.isEnded) { service.unfinished.insert(active.id) }
                throw error
            }
        }
    }

    /// Finishes the upload if all its bytes are stored; called with all locks of the upload held.
    ///
    /// - Returns: The final upload that waits for this one.
    private func finish(waiting waits: Bool) async throws -> ObjectID? {
        try requireNotEnded()
        guard isComplete, !stored.isFinished else { return nil }
        if stored.kind == .partial { return try await markFinished(nil) }
        // Checked before the bytes are read for their digests, because this refusal can be temporary.
        let caller = try await service.sessions.revalidated(stored.creator.caller(in: service.app))
        try await service.files.requireCreating(as: caller)
        do {
            _ = try await complete(parts: active.with { Array($0.layout.parts.keys) }, waiting: waits)
        } catch let error as ServiceError where UploadHandle.isFinal(error) {
            await drop()
            throw error
        }
        return nil
    }

    /// Whether no later attempt to finish an upload can succeed after this refusal.
    static func isFinal(_ error: ServiceError) -> Bool { finalRefusals.contains(error.code) }

    /// The refusals that depend only on the bytes and their announced properties, which do not change any more.
    private static let finalRefusals: Set<ServiceError.Code> = [
        .badRequest, .checksumMismatch, .duplicateValue, .forbidden, .invalidFileName, .objectTooLarge,
        .payloadTooLarge,
    ]
}

extension UploadService {
    /// Creates the file of a waiting final upload, if its pieces are all finished and this succeeds now.
    fileprivate func concatenateIfFinished(_ final: ObjectID, waiting waits: Bool) async {
        do {
            _ = try await using(id: final) { try await $0.concatenateIfFinished(waiting: waits) }
        } catch let error as ServiceError where error.code == .overloaded {
            // A description that is refused ends this before the attempt, which otherwise notes the upload for the sweep.
            unfinished.insert(final)
        } catch {}
    }

    /// Finishes uploads that a previous server left with all their bytes.
    ///
    /// Call it before the first request and after all apps exist, because a key must be free in each of them. Digests
    /// of files take time, so uploads that are not begun after ten seconds are left to the first ``sweep()``.
    package func finishRecovered() async {
        await finishComplete(within: .seconds(10))
    }

    /// Finishes uploads that have all their bytes and no file: the server ended, or its disk was full.
    ///
    /// Uploads that still cannot be finished are tried again by the next call.
    ///
    /// - Parameter limit: The time after which the remaining uploads are left to the next call.
    /// - Returns: The last error that is not a refusal, for the log.
    @discardableResult
    func finishComplete(within limit: Duration? = nil) async -> (any Error)? {
        var failure: (any Error)?
        let start = ContinuousClock.now
        for id in unfinished.takeAll() {
            if let limit, ContinuousClock.now - start > limit {
                unfinished.insert(id)
                continue
            }
            do {
                _ = try await using(id: id) { try await $0.finishIfComplete(waiting: false) }
            } catch {
                let code = (error as? ServiceError)?.code
                if code == nil || code == .internalFailure || code == .storageFull { failure = error }
                // An upload with a final refusal is removed; all others are tried again.
                let isRemoved = (try? await records.find(id: id) == nil) ?? false
                if !isRemoved { unfinished.insert(id) }
            }
        }
        return failure
    }
}
