internal import Domain
internal import NIOCore
internal import Synchronization

/// The facts of all staged bytes.
extension DiskStagedBlob {
    func finish(size: Int64, needsMD5: Bool) async throws -> StagedFacts {
        // The hash of a small file that arrived in order is known already, without a job of the pool.
        let isWhole = known.withLock { $0?.extent == size }
        if !isWhole {
            try await pool.runIfActive { [self] in
                let file = try content.file()
                guard try file.descriptor.size() >= size else { throw failure(ofReading: size) }
                try file.descriptor.truncate(to: size)
            }
            hashes.forget(behind: size)
            known.withLock { $0 = nil }
        }
        let blocks = try await blocks(of: size)
        var digest = md5.known(of: size)
        if digest == nil, needsMD5 || size <= BlobFacts.md5Limit {
            digest = try await pool.runIfActive { [content] in
                try RunningMD5.digest(of: size, in: content.file().descriptor)
            }
        }
        let facts = BlobFacts(size: size, digest: .contentHash(ContentHash.joining(blocks)), md5: digest)
        let head = known.withLock { $0?.head }
        if let head, head.readableBytes == min(Int(clamping: size), StagedFacts.headSize) {
            return StagedFacts(blob: facts, head: head)
        }
        return StagedFacts(blob: facts, head: try await read(at: 0, count: StagedFacts.headSize))
    }

    /// The digests of all blocks: those computed while writing, the others from the file.
    private func blocks(of size: Int64) async throws -> [[UInt8]] {
        let known = (0..<ContentHash.blockCount(of: size)).map { hashes.digest(of: $0, size: size) }
        let unknown = known.indices.filter { known[$0] == nil }
        guard !unknown.isEmpty else { return known.compactMap(\.self) }
        let read = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            var read: [Int: [UInt8]] = [:]
            for (started, block) in unknown.enumerated() {
                // At most eight at a time, which is enough for a disk and limits the memory.
                if started >= 8, let (done, digest) = try await group.next() { read[done] = digest }
                group.addTask { [pool, content] in
                    let digest = try await pool.runIfActive {
                        try BlockHashes.digest(of: block, size: size, in: content.file().descriptor)
                    }
                    return (block, digest)
                }
            }
            for try await (done, digest) in group { read[done] = digest }
            return read
        }
        return known.enumerated().compactMap { $0.element ?? read[$0.offset] }
    }
}
