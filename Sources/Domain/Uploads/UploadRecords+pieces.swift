/// The state of the partial uploads that a final one is made of (tus `concatenation-unfinished`).
///
/// A final upload that waits names its pieces, and each piece names the final upload: so the request that finishes the
/// last piece finds it without a search.
enum PiecesState: Sendable {
    /// One of them does not exist any more.
    case missing
    /// One of them has not all of its bytes yet.
    case unfinished
    /// All of them have all of their bytes.
    case finished
}

extension UploadRecords {
    /// The state of all pieces of a final upload.
    func state(of pieces: [ObjectID]) async throws -> PiecesState {
        try await store.read { try $0.state(of: pieces).state }
    }
}

extension ReadTransaction {
    /// The state of pieces, and how many bytes are announced for all of them; a piece that is named twice counts twice.
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
    /// Throws unless a final upload can be made of the pieces, as far as that is known.
    ///
    /// - Returns: Whether they are all finished.
    /// - Throws: ``ServiceError/Code/badRequest`` if one is gone, ``ServiceError/Code/payloadTooLarge``.
    func requirePieces(_ pieces: [ObjectID], within limits: UploadLimits) throws -> PiecesState {
        let (state, size) = try state(of: pieces)
        guard state != .missing else { throw UploadService.noPiece }
        try limits.requireSize(size)
        return state
    }

    /// Says in each piece which final upload waits for it.
    ///
    /// A final upload that waited for one of them before ends: the answer to its creation may have been lost, and the
    /// client repeats the request.
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

    /// Removes a final upload that waits for pieces; the usage of the app is left to the caller.
    ///
    /// - Returns: The upload; nil if there is none, or if it is finished.
    func removeWaiting(_ id: ObjectID, at now: Timestamp) throws -> StoredUpload? {
        guard let final = try upload(id), final.isWaiting else { return nil }
        _ = try delete(id, in: .upload)
        try countClosed(by: final.creator, at: now)
        return final
    }
}
