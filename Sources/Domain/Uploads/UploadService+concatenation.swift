extension UploadService {
    /// Creates one file of partial uploads (tus concatenation): now if all of them are finished, otherwise once they
    /// are.
    ///
    /// - Parameters:
    ///   - announcement: The file; its size is that of the pieces.
    ///   - tokens: The pieces, in order; a piece can be repeated.
    ///   - caller: The caller.
    ///   - body: Receives the final upload, finished or waiting, and its token.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/badRequest`` if a piece is not a partial upload of this app, and errors of the
    ///   rules; the pieces stay then, unless they were copied for a few refused files. Errors of the body.
    package func concatenate<Result>(
        _ announcement: UploadAnnouncement,
        of tokens: [UploadToken],
        as caller: Caller,
        _ body: (UploadHandle, UploadToken) async throws -> Result
    ) async throws -> Result {
        var announcement = announcement
        for token in tokens { announcement.pieces.append(try await piece(token)) }
        let pieces = announcement.pieces
        return try await announcing(announcement, as: caller) { handle, token in
            // Those of an upload that waits are in its row, also once it is finished.
            if handle.stored.pieces.isEmpty {
                try await handle.exclusively {
                    do {
                        try await handle.concatenate(pieces)
                    } catch {
                        // The client does not receive its URL.
                        await handle.drop()
                        throw error
                    }
                }
            }
            return try await body(handle, token)
        }
    }

    /// The id of a partial upload.
    private func piece(_ token: UploadToken) async throws -> ObjectID {
        do {
            return try await using(token, describing: .unused) { handle in
                guard handle.stored.kind == .partial else { throw UploadService.noPiece }
                // Its last request can have been interrupted after the last byte.
                try await handle.finishIfComplete()
                return handle.active.id
            }
        } catch let error as ServiceError where error.code == .uploadNotFound {
            throw UploadService.noPiece
        }
    }

    static let noPiece = ServiceError(.badRequest, "Upload-Concat: every piece must be a partial upload.")

    /// Runs a body with an upload, by its id and in any state.
    ///
    /// - Returns: The result of the body; `nil` if the upload does not exist.
    func using<Result>(
        id: ObjectID,
        describing use: DescriptionUse = .counted,
        _ body: (UploadHandle) async throws -> Result
    ) async throws -> Result? {
        guard let found = try await records.find(id: id, reading: .none) else { return nil }
        return try await active.using(found.upload.tokenDigest) { [records] in
            try await records.find(id: id)
        } _: { active -> Result? in
            guard let active, !active.with(\.isEnded) else { return nil }
            return try await describing(active, as: use) {
                try await body(UploadHandle(active: active, service: self))
            }
        }
    }
}

extension UploadHandle {
    /// Creates the file of a waiting final upload if its pieces are all finished.
    ///
    /// Called by the request that finishes a piece, by `HEAD` of the final upload and by the sweep.
    ///
    /// - Throws: Errors of the rules. If no later attempt can succeed, the final upload is removed and its pieces stay;
    ///   otherwise the next call tries again.
    func concatenateIfFinished(waiting waits: Bool = true) async throws {
        guard stored.isWaiting else { return }
        // A client that disconnects now does not cancel it.
        try await shieldedFromCancellation { [self] in
            do {
                try await exclusively(waiting: waits) { [self] in try await concatenateWaiting(waiting: waits) }
            } catch {
                if !active.with(\.isEnded) { service.unfinished.insert(active.id) }
                throw error
            }
        }
    }

    /// Creates the file if all pieces are finished; called with all locks of the upload held.
    private func concatenateWaiting(waiting waits: Bool) async throws {
        try requireNotEnded()
        guard stored.isWaiting else { return }
        switch try await service.records.state(of: stored.pieces) {
        case .unfinished:
            return
        case .missing:
            await drop()
            throw UploadService.notFound
        case .finished:
            // Checked before the bytes are copied, because this refusal can be temporary.
            let caller = try await service.sessions.revalidated(stored.creator.caller(in: service.app))
            try await service.files.requireCreating(as: caller)
            do {
                try await concatenate(stored.pieces, waiting: waits)
            } catch let error as ServiceError where UploadHandle.isFinal(error) {
                await drop()
                throw error
            }
        }
    }

    /// Concatenates finished pieces, creates the file and removes the pieces; called with all locks of the upload held.
    ///
    /// - Parameters:
    ///   - pieces: The pieces, in order.
    ///   - waits: Whether to wait for a permit to copy.
    /// - Throws: ``ServiceError/Code/overloaded`` if another request creates a file of one of the pieces; errors of the
    ///   rules.
    func concatenate(_ pieces: [ObjectID], waiting waits: Bool = true) async throws {
        var found: [(source: any StagedBlob, pieces: [PartLayout.Piece])] = []
        var digests: Set<String> = []
        for id in pieces {
            let piece = try await service.using(id: id, describing: .unused) { piece in
                let bytes = piece.active.with { $0.layout.pieces(of: [UploadHandle.number]) }
                let blob = try await piece.active.blob(in: service.storage.staging)
                return (blob, bytes ?? [], piece.stored.tokenDigest)
            }
            guard let (blob, bytes, digest) = piece else { throw UploadService.noPiece }
            found.append((blob, bytes))
            digests.insert(digest)
        }
        let sources = found
        let size = sources.reduce(0) { $0 + $1.pieces.size }
        let caller = try await requireEnding(size: size, spending: pieces)
        // Copies with the master key have no limit.
        let claimed: Set<ObjectID> = caller.group == .master ? [] : Set(pieces)
        try await service.copyPermits.holding(for: caller, waiting: waits) { [self] in
            try service.pieceClaims.claim(claimed)
            do {
                // The request before this one can have spent or removed them.
                try await service.requireFinished(pieces)
                return try await countingRefusal(of: pieces) { try await copy(sources) }
            } catch {
                service.pieceClaims.release(claimed)
                // A refusal for good can remove pieces itself; otherwise the bytes of a removed one cannot be read.
                if let refusal = error as? ServiceError, UploadHandle.isFinal(refusal) { throw refusal }
                try await service.requireFinished(pieces)
                throw error
            }
        } storing: { [self] copied in
            defer { service.pieceClaims.release(claimed) }
            try await countingRefusal(of: pieces) { _ = try await complete(copied, spending: Array(Set(pieces))) }
        }
        for (source, _) in sources { await source.discard() }
        for digest in digests { await service.forget(digest) }
    }

    /// Runs a part of the work on pieces; a refusal for good counts before others can copy them.
    private func countingRefusal<Result>(
        of pieces: [ObjectID],
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as ServiceError where UploadHandle.isFinal(error) {
            await service.countRefusal(of: pieces)
            throw error
        }
    }
}

extension UploadService {
    /// Throws unless all pieces exist and are complete.
    fileprivate func requireFinished(_ pieces: [ObjectID]) async throws {
        guard case .finished = try await records.state(of: pieces) else { throw UploadService.noPiece }
    }

    /// Counts a refusal of a file that was copied from pieces, and removes the pieces that have reached the limit; a piece
    /// that the file names twice was copied twice.
    fileprivate func countRefusal(of pieces: [ObjectID]) async {
        for (id, names) in Dictionary(grouping: pieces, by: \.self) {
            _ = try? await using(id: id, describing: .unused) { piece in
                guard await piece.countRefusal(names.count) else { return }
                try await piece.cancel()
            }
        }
    }
}
