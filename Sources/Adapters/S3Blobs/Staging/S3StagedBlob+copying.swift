internal import Domain
internal import NIOCore
internal import S3
internal import Synchronization

/// The object of finished bytes, which the store makes of the segments.
extension S3StagedBlob {
    func copy(to name: String, _ facts: BlobFacts, headers: [(name: String, value: String)]) async throws {
        if state.withLock({ $0.map.pieces.contains(where: \.segment.tag.isEmpty) }) { try await refresh(always: true) }
        let (whole, held, finished) = state.withLock { ($0.map, $0.held, $0.finished) }
        // A late request of another server can have put bytes behind the end meanwhile.
        let map = SegmentMap(pieces: whole.pieces(in: 0..<facts.size))
        // The digest is that of these segments, which never change.
        guard let finished, finished.facts.size == facts.size, finished.facts.digest == facts.digest,
            finished.pieces == map.pieces.map(StagedFact.init)
        else { throw ServiceError(.internalFailure, "Internal error.", cause: OtherStagedBytes()) }
        if let held { return try await put(held, to: name, headers) }
        if map.pieces.count == 1, map.pieces[0].isWhole {
            let object = map.pieces[0].segment.object(in: area.names.segments(in: folder))
            return try await area.bucket.run { try $0.copy(object, to: name, headers: headers) }
        }
        let parts = CopyPart.parts(of: map.pieces)
        guard parts.count > 1 else {
            return try await put(try await read(at: 0, count: Int(facts.size), of: map), to: name, headers)
        }
        let upload = try await area.bucket.run { try $0.begin(name, headers: headers) }
        do {
            let stored = try await send(parts, of: upload, map)
            try await area.bucket.run { client in
                try client.complete(upload, stored, size: facts.size)
                try client.verify(name, of: stored, size: facts.size)
            }
        } catch {
            // The error of the copy is the one that the caller needs.
            _ = await shieldedFromCancellation { [area] in try? await area.bucket.run { try $0.abort(upload) } }
            throw error
        }
    }

    private func put(_ bytes: ByteBuffer, to name: String, _ headers: [(name: String, value: String)]) async throws {
        try await area.bucket.run { client in
            try client.put(name, S3Content(Array(bytes.readableBytesView)), headers: headers)
        }
    }

    /// Sends all parts, several at the same time; those whose bytes pass through this server one after the other.
    private func send(_ parts: [CopyPart], of upload: S3Upload, _ map: SegmentMap) async throws -> [S3Part] {
        try await withThrowingTaskGroup(of: [S3Part].self) { group in
            var stored: [S3Part] = []
            group.addTask { [self] in
                var sent: [S3Part] = []
                for (index, part) in parts.enumerated() where !part.isCopied {
                    let bytes = try await read(at: part.range.lowerBound, count: part.range.count, of: map)
                    sent.append(
                        try await area.bucket.run { client in
                            try client.put(S3Content(Array(bytes.readableBytesView)), as: index + 1, of: upload)
                        }
                    )
                }
                return sent
            }
            let prefix = area.names.segments(in: folder)
            var started = 0
            for (index, part) in parts.enumerated() {
                guard let piece = part.piece else { continue }
                started += 1
                if started > S3StagedBlob.parallel, let some = try await group.next() { stored += some }
                group.addTask { [area] in
                    let object = piece.segment.object(in: prefix)
                    return [
                        try await area.bucket.run { try $0.copy(object, piece.objectRange, as: index + 1, of: upload) }
                    ]
                }
            }
            for try await some in group { stored += some }
            return stored.sorted { $0.number < $1.number }
        }
    }
}

/// A part of an object that is made of segments.
struct CopyPart: Hashable {
    /// The bytes of the object.
    let range: Range<Int64>
    /// The piece of a segment that the store copies; `nil` if the bytes pass through this server.
    let piece: SegmentMap.Piece?

    var isCopied: Bool { piece != nil }

    /// Divides consecutive pieces into parts: all but the last have at least ``S3Client/minPartSize`` bytes.
    ///
    /// Smaller pieces are joined with their neighbours, of which as few bytes as possible pass through the server.
    static func parts(of pieces: [SegmentMap.Piece]) -> [CopyPart] {
        let least = S3Client.minPartSize
        var parts: [CopyPart] = []
        /// The bytes in front of the next piece that are in no part yet.
        var joined: Range<Int64>?
        for piece in pieces {
            var piece = piece
            if let before = joined, before.count < least {
                let end = before.lowerBound + least
                guard piece.range.upperBound - end >= least else {
                    joined = before.lowerBound..<piece.range.upperBound
                    continue
                }
                joined = before.lowerBound..<end
                piece.range = end..<piece.range.upperBound
            }
            if let before = joined { parts.append(CopyPart(range: before, piece: nil)) }
            joined = nil
            if piece.range.count >= least {
                parts.append(CopyPart(range: piece.range, piece: piece))
            } else {
                joined = piece.range
            }
        }
        if let joined { parts.append(CopyPart(range: joined, piece: nil)) }
        return parts
    }
}

/// Which segment had the bytes of a range when a digest was computed.
struct StagedFact: Hashable {
    private let range: Range<Int64>
    private let segment: String

    init(_ piece: SegmentMap.Piece) {
        range = piece.range
        segment = piece.segment.name
    }
}

/// The error for staged bytes that are not those of which the facts were computed.
private struct OtherStagedBytes: Error {}
