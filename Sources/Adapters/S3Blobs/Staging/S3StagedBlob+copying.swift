internal import Domain
internal import NIOCore
internal import S3
internal import Synchronization

/// The object of finished bytes, which the store makes of the segments.
extension S3StagedBlob {
    func copy(to new: S3NewBlob) async throws -> Int64 {
        let size = new.facts.size
        return try await rereading {
            // The facts are compared again, because they are those of segments with certain names.
            _ = try await finish(size: size, needsMD5: false)
        } _: {
            if !isFinished(size) { _ = try await finish(size: size, needsMD5: false) }
            return try await copySegments(to: new)
        }
    }

    /// Whether the facts are those of the segments that are known now.
    private func isFinished(_ size: Int64) -> Bool {
        state.withLock { $0.finished?.pieces == $0.map.pieces(in: 0..<size).map(StagedFact.init) }
    }

    private func copySegments(to new: S3NewBlob) async throws -> Int64 {
        let facts = new.facts
        if state.withLock({ $0.map.pieces.contains(where: \.segment.tag.isEmpty) }) { try await refresh(always: true) }
        let (whole, held, finished) = state.withLock { ($0.map, $0.held, $0.finished) }
        // A late request of another server can have put bytes behind the end meanwhile.
        let map = SegmentMap(pieces: whole.pieces(in: 0..<facts.size))
        // The digest is that of these segments, which never change.
        guard let finished, finished.facts.size == facts.size, finished.facts.digest == facts.digest,
            finished.pieces == map.pieces.map(StagedFact.init)
        else { throw ServiceError(.internalFailure, "Internal error.", cause: OtherStagedBytes()) }
        if let held { return try await put(held, as: new) }
        let isSealed = new.encryption != nil
        if !isSealed, map.pieces.count == 1, map.pieces[0].isWhole, map.pieces[0].segment.seal == nil {
            let object = map.pieces[0].segment.object(in: area.names.segments(in: folder))
            try await area.bucket.run { try $0.copy(object, to: new.name, headers: new.headers) }
            return object.size
        }
        let parts = CopyPart.parts(of: map.pieces, isSealed: isSealed)
        guard parts.count > 1 || parts.first?.isCopied ?? false else {
            return try await put(try await read(at: 0, count: Int(facts.size), of: map), as: new)
        }
        let plan = try CopyPlan(parts, for: new)
        let upload = try await area.bucket.run { try $0.begin(new.name, headers: new.headers) }
        do {
            let stored = try await send(plan, of: upload, map)
            try await area.bucket.run { client in
                try client.complete(upload, stored, size: plan.size)
                try client.verify(new.name, of: stored, size: plan.size)
            }
            return plan.size
        } catch {
            // The error of the copy is the one that the caller needs.
            _ = await shieldedFromCancellation { [area] in try? await area.bucket.run { try $0.abort(upload) } }
            throw error
        }
    }

    private func put(_ bytes: ByteBuffer, as new: S3NewBlob) async throws -> Int64 {
        try await area.bucket.run { client in
            let content = S3Content(try new.object(of: bytes))
            try client.put(new.name, content, headers: new.headers)
            return content.size
        }
    }

    /// Sends all parts, several at the same time; those whose bytes pass through this server one after the other.
    private func send(_ plan: CopyPlan, of upload: S3Upload, _ map: SegmentMap) async throws -> [S3Part] {
        try await withThrowingTaskGroup(of: [S3Part].self) { group in
            var stored: [S3Part] = []
            group.addTask { [self] in
                var sent: [S3Part] = []
                for (index, part) in plan.parts.enumerated() where !part.isCopied {
                    let bytes = try await read(at: part.range.lowerBound, count: part.range.count, of: map)
                    sent.append(
                        try await area.bucket.run { client in
                            try client.put(S3Content(try plan.content(index, bytes)), as: index + 1, of: upload)
                        }
                    )
                }
                return sent
            }
            let prefix = area.names.segments(in: folder)
            var started = 0
            for (index, part) in plan.parts.enumerated() {
                guard let piece = part.piece else { continue }
                started += 1
                if started > S3StagedBlob.parallel, let some = try await group.next() { stored += some }
                group.addTask { [area] in
                    let object = piece.segment.object(in: prefix)
                    return [
                        try await area.bucket.run { try $0.copy(object, piece.storedRange, as: index + 1, of: upload) }
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
    /// Smaller pieces are joined with their neighbours, of which as few bytes as possible pass through the server. So do
    /// the rest of a frame where an encrypted segment is cut, and segments that are not encrypted as the blob is.
    ///
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - isSealed: Whether the blob is encrypted.
    /// - Returns: The parts, in order and without gaps.
    static func parts(of pieces: [SegmentMap.Piece], isSealed: Bool = false) -> [CopyPart] {
        let least = S3Client.minPartSize
        var parts: [CopyPart] = []
        /// The bytes in front of the next piece that are in no part yet.
        var joined: Range<Int64>?
        for piece in pieces {
            let front = joined?.lowerBound ?? piece.range.lowerBound
            var copied = piece.copyable(from: piece.range.lowerBound, isSealed: isSealed)
            if front < copied.lowerBound, copied.lowerBound - front < least {
                let start = min(front + least, piece.range.upperBound)
                copied = piece.copyable(from: start, isSealed: isSealed)
            }
            guard copied.count >= least else {
                var rest = front..<piece.range.upperBound
                while rest.count >= 3 * least {
                    parts.append(CopyPart(range: rest.lowerBound..<rest.lowerBound + least, piece: nil))
                    rest = rest.lowerBound + least..<rest.upperBound
                }
                joined = rest
                continue
            }
            if front < copied.lowerBound { parts.append(CopyPart(range: front..<copied.lowerBound, piece: nil)) }
            parts.append(CopyPart(range: copied, piece: SegmentMap.Piece(range: copied, segment: piece.segment)))
            joined = copied.upperBound < piece.range.upperBound ? copied.upperBound..<piece.range.upperBound : nil
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
