internal import Domain
internal import NIOCore
internal import S3
internal import Synchronization

/// Small segments become larger ones while an upload goes on, so that the store can make the file of them when it ends.
///
/// Otherwise the bytes of an upload in parts of 4 MiB, which Qiniu's SDKs send, would all pass through the server that
/// finishes it.
extension S3StagedBlob {
    /// The size of a piece in bytes below which it is not joined before the end of the upload: the name of a segment has
    /// no space for more than a few runs.
    private static let leastJoined: Int64 = 512 << 10

    /// Joins the small segments around bytes that were just written, if they are enough.
    ///
    /// The segments stay if that fails.
    ///
    /// - Parameter offset: The offset after the written bytes.
    func joinSegments(before offset: Int64) async {
        guard isShared, offset > 0 else { return }
        let taken = state.withLock { state -> [SegmentMap.Piece]? in
            guard !state.isJoining, let pieces = joinable(state.map, around: offset - 1) else { return nil }
            state.isJoining = true
            return pieces
        }
        guard let pieces = taken else { return }
        await shieldedFromCancellation { [self] in try? await join(pieces) }
        state.withLock { $0.isJoining = false }
    }

    /// The small pieces around an offset that are a segment together, up to the end of their last block.
    private func joinable(_ map: SegmentMap, around offset: Int64) -> [SegmentMap.Piece]? {
        guard let middle = map.pieces.firstIndex(where: { $0.range.contains(offset) }),
            isSmall(map.pieces[middle])
        else { return nil }
        let most = 2 * area.options.segmentSize
        var range = map.pieces[middle].range
        var (first, last) = (middle, middle)
        while first > 0, isSmall(map.pieces[first - 1]), map.pieces[first - 1].range.upperBound == range.lowerBound,
            range.upperBound - map.pieces[first - 1].range.lowerBound <= most
        {
            first -= 1
            range = map.pieces[first].range.lowerBound..<range.upperBound
        }
        while last + 1 < map.pieces.count, isSmall(map.pieces[last + 1]),
            map.pieces[last + 1].range.lowerBound == range.upperBound,
            map.pieces[last + 1].range.upperBound - range.lowerBound <= most
        {
            last += 1
            range = range.lowerBound..<map.pieces[last].range.upperBound
        }
        let end = range.upperBound / ContentHash.blockSize * ContentHash.blockSize
        guard end - range.lowerBound >= area.options.segmentSize else { return nil }
        let pieces = map.pieces(in: range.lowerBound..<end)
        let maxRuns = area.maxRuns.load(ordering: .relaxed)
        return pieces.reduce(0) { $0 + $1.runs.count } <= maxRuns ? pieces : nil
    }

    private func isSmall(_ piece: SegmentMap.Piece) -> Bool {
        (S3StagedBlob.leastJoined..<S3Client.minPartSize).contains(Int64(piece.range.count))
    }

    /// Puts the bytes of consecutive pieces as one segment, and removes the segments that have no other bytes.
    private func join(_ pieces: [SegmentMap.Piece]) async throws {
        let range = pieces[0].range.lowerBound..<pieces[pieces.count - 1].range.upperBound
        area.memory.add(range.count)
        defer { area.memory.remove(range.count) }
        let map = SegmentMap(pieces: pieces)
        let bytes = try await read(at: range.lowerBound, count: range.count, of: map)
        let prefix = area.names.segments(in: folder)
        try await area.bucket.run { [self] client in
            let runs = pieces.flatMap(\.runs)
            let joined: StagedSegment
            do {
                joined = try put(bytes, at: range.lowerBound, runs: runs)
            } catch let error as S3Error where error.code == "KeyTooLongError" {
                // Each further attempt would read the bytes in vain.
                area.maxRuns.min(runs.count - 1, ordering: .relaxed)
                throw error
            }
            let unneeded = replace(pieces.map(\.segment), with: joined)
            // Those that stay have the same bytes and numbers.
            try client.delete(unneeded.map { prefix + $0 })
        }
    }

    /// Replaces segments by a joined one; returns the names of those that have no other bytes.
    private func replace(_ segments: [StagedSegment], with joined: StagedSegment) -> [String] {
        state.withLock { state in
            let isOwn = segments.allSatisfy { state.segments[$0.name]?.isOwn == true }
            state.segments[joined.name] = Known(segment: joined, addition: state.additions, isOwn: isOwn)
            state.additions += 1
            let unneeded = segments.filter { joined.range.contains($0.range) }.map(\.name)
            for name in unneeded { state.segments[name] = nil }
            state.map = SegmentMap(state.segments.values.map(\.segment))
            return unneeded
        }
    }
}

extension SegmentMap.Piece {
    /// The runs of the range.
    var runs: [StagedSegment.Run] {
        var offset = segment.offset
        return segment.runs.compactMap { run in
            let part = (offset..<offset + run.size).clamped(to: range)
            offset += run.size
            return part.isEmpty ? nil : StagedSegment.Run(number: run.number, size: Int64(part.count))
        }
    }
}
