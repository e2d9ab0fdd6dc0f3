/// The state of the partial uploads of a final one (tus `concatenation-unfinished`).
///
/// A final upload that waits names its pieces, and each piece names the final upload: so the request that finishes the
/// last piece finds it without a query.
enum PiecesState: Sendable {
    /// At least one piece does not exist any more.
    case missing
    /// At least one piece is incomplete.
    case unfinished
    /// All pieces are complete.
    case finished
}

extension UploadRecords {
    /// The state of all pieces of a final upload.
    func state(of pieces: [ObjectID]) async throws -> PiecesState {
        try await store.read { try $0.state(of: pieces).state }
    }
}

extension ReadTransaction {
    /// The state of pieces, and the sum of their announced bytes; a piece that is named twice counts twice.
    fileprivate func state(of pieces: [ObjectID]) throws -> (state: PiecesState, size: Int64) {
        var state = PiecesState.finished
        var size: Int64 = 0
        for id in pieces {
            guard let piece = try upload(id), piece.kind == .partial else { return (.missing, 0) }
            if !piece.isFinished { state = .unfinished }
            size += piece.size ?? 0
        }
        return (state, size)
    }
}

extension WriteTransaction {
    /// Throws unless the pieces allow a final upload, as far as their sizes are known.
    ///
    /// - Returns: The state of the pieces.
    /// - Throws: ``ServiceError/Code/badRequest`` if one does not exist, ``ServiceError/Code/payloadTooLarge``.
    func requirePieces(_ pieces: [ObjectID], within limits: UploadLimits) throws -> PiecesState {
        let (state, size) = try state(of: pieces)
        guard state != .missing else { throw UploadService.noPiece }
        try limits.requireSize(size)
        return state
    }

    /// Stores in each piece which final upload waits for it.
    ///
    /// A final upload that waited for one of them before ends: the client repeats the creation if it did not receive
    /// the response.
    ///
    /// - Returns: The digests of the tokens of uploads that ended.
    func claim(_ pieces: Set<ObjectID>, for final: ObjectID, at now: Timestamp) throws -> [String] {
        var ended: [String] = []
        for id in pieces {
            guard var piece = try upload(id) else { continue }
            if let other = piece.successor, let before = try removeWaiting(other, at: now) {
                ended.append(before.tokenDigest)
                try save(try usage() - .upload(before.counted), at: now)
            }
            piece.successor = final
            try update(piece.object, in: .upload)
        }
        return ended
    }

    /// Removes a final upload that waits for pieces; the caller updates the app's usage.
    ///
    /// - Returns: The upload; `nil` if it does not exist, or if it is finished.
    func removeWaiting(_ id: ObjectID, at now: Timestamp) throws -> StoredUpload? {
        guard let final = try upload(id), final.isWaiting else { return nil }
        _ = try delete(id, in: .upload)
        try countClosed(by: final.creator, at: now)
        return final
    }
}
