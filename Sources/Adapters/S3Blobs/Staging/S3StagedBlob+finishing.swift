internal import Crypto
internal import Domain
internal import NIOCore
internal import S3
internal import Synchronization

/// The facts of finished bytes: of the digests that segments have, and of the bytes where they have none.
extension S3StagedBlob {
    /// The maximum number of requests at the same time.
    static let parallel = 8

    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
        if let held = state.withLock(\.held) { return try await finish(held, size: size) }
        return try await rereading { try await finishSegments(size: size, needsMD5: needsMD5) }
    }

    private func finishSegments(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
        try await refresh()
        var map = state.withLock(\.map)
        guard map.covers(0..<size) else {
            throw StorageFault.failing.error(cause: StagedBytesMissing(0..<size))
        }
        if map.extent > size {
            try await end(at: size)
            map = state.withLock(\.map)
        }
        let blocks = try await blocks(of: size, map)
        var digest = hasOnlyOwn(map) ? md5.known(of: size) : nil
        if digest == nil, needsMD5 || size <= BlobFacts.md5Limit { digest = try await wholeMD5(of: size, map) }
        let facts = BlobFacts(size: size, digest: .contentHash(ContentHash.joining(blocks)), md5: digest)
        let head = try await read(at: 0, count: StagedFacts.headSize, of: map)
        let pieces = map.pieces(in: 0..<size).map(StagedFact.init)
        state.withLock { $0.finished = (facts, pieces) }
        return StagedFacts(blob: facts, head: head)
    }

    private func finish(_ held: ByteBuffer, size: Int64) async throws -> StagedFacts {
        guard held.readableBytes >= size else {
            throw StorageFault.failing.error(cause: StagedBytesMissing(0..<size))
        }
        let bytes = held.part(at: 0, count: Int(size))
        state.withLock { $0.held = bytes }
        area.memory.remove(held.readableBytes - bytes.readableBytes)
        let known = md5.known(of: size)
        let facts = try await area.bucket.run { _ in
            bytes.withUnsafeReadableBytes { bytes in
                var hasher = ContentHasher()
                hasher.update(bytes)
                var md5 = Insecure.MD5()
                if known == nil { md5.update(bufferPointer: bytes) }
                return BlobFacts(
                    size: size,
                    digest: .contentHash(hasher.finalize()),
                    md5: known ?? md5.finalize().hexadecimal
                )
            }
        }
        state.withLock { $0.finished = (facts, []) }
        return StagedFacts(blob: facts, head: bytes.part(at: 0, count: StagedFacts.headSize))
    }

    /// Marks the end of the bytes: what other segments have behind it does not count, also for other servers.
    private func end(at size: Int64) async throws {
        let number = try await nextNumber()
        let mark = StagedSegment(endAt: size, number: number)
        try await area.bucket.run { [self] client in
            try client.put(area.names.segments(in: folder) + mark.name, bytes: [])
            add(mark)
        }
    }

    /// Whether this value has written all current bytes, so that the MD5 that it computed is theirs.
    private func hasOnlyOwn(_ map: SegmentMap) -> Bool {
        state.withLock { state in map.pieces.allSatisfy { state.segments[$0.segment.name]?.isOwn == true } }
    }

    /// The digests of all blocks: those of the segments, the others from the bytes.
    func blocks(of size: Int64, _ map: SegmentMap) async throws -> [[UInt8]] {
        guard size > 0 else { return [Array(Insecure.SHA1().finalize())] }
        let ranges = StagedSegment.blocks(of: 0..<size)
        let known = ranges.map { range -> [UInt8]? in
            let pieces = map.pieces(in: range)
            return pieces.count == 1 ? pieces[0].segment.digest(of: range) : nil
        }
        let unknown = ranges.indices.filter { known[$0] == nil }
        let read = try await read(unknown.map { ranges[$0] }, of: map) { Array(Insecure.SHA1.hash(data: $0)) }
        let computed = Dictionary(uniqueKeysWithValues: zip(unknown, read))
        return known.enumerated().compactMap { $0.element ?? computed[$0.offset] }
    }

    /// The MD5 of all bytes, which have to be read for it.
    private func wholeMD5(of size: Int64, _ map: SegmentMap) async throws -> String {
        var md5 = Insecure.MD5()
        let window = Int64(S3StagedBlob.parallel) * ContentHash.blockSize
        for start in stride(from: 0, to: size, by: Int(window)) {
            let ranges = StagedSegment.blocks(of: start..<min(size, start + window))
            for bytes in try await read(ranges, of: map, { $0 }) { md5.update(data: bytes) }
        }
        return md5.finalize().hexadecimal
    }

    /// Reads ranges, several at the same time, and returns what a body makes of their bytes, in order.
    private func read<Result: Sendable>(
        _ ranges: [Range<Int64>],
        of map: SegmentMap,
        _ body: @escaping @Sendable ([UInt8]) -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results: [Int: Result] = [:]
            for (index, range) in ranges.enumerated() {
                if index >= S3StagedBlob.parallel, let (done, result) = try await group.next() {
                    results[done] = result
                }
                group.addTask { [self] in
                    let bytes = try await read(at: range.lowerBound, count: range.count, of: map)
                    return try await area.bucket.run { _ in (index, body(Array(bytes.readableBytesView))) }
                }
            }
            for try await (done, result) in group { results[done] = result }
            return ranges.indices.compactMap { results[$0] }
        }
    }
}
