internal import Crypto
internal import Domain
internal import S3

/// Sends staged bytes as the object of a blob.
struct S3BlobSender: Sendable {
    let client: S3Client
    let threads: S3Threads
    let settings: S3BlobSettings

    /// Sends all bytes, and compares them with the facts while they are read.
    ///
    /// - Returns: The size of the object.
    /// - Throws: ``ServiceError/Code/internalFailure`` if they do not match; then there is no object.
    func send(_ staged: any StagedBlob, _ new: S3NewBlob) async throws -> Int64 {
        let facts = new.facts
        if let staged = staged as? any S3CopyableBlob {
            do {
                return try await staged.copy(to: new)
            } catch let error as S3Error {
                throw ServiceError(error)
            }
        }
        let source = try await S3StagedSource(staged)
        let isSingle = facts.size <= (source.isLocal ? settings.singlePutSize : settings.partSize)
        guard isSingle else { return try await sendParts(source, new) }
        let range = try await source.range(0..<facts.size)
        return try await threads.run { [client] in
            let hashed = HashedRange(range, like: facts.digest)
            let content: S3Content
            if let encryption = new.encryption {
                let run = SealedRun(size: facts.size, first: 0, key: FrameKey())
                let trailer = try new.trailer(facts.size == 0 ? [] : [run], encryption)
                content = try hashed.content(sealing: (0, run.key), trailer: trailer)
            } else {
                content = try hashed.content()
            }
            guard hashed.hasher.finish() == facts.digest else { throw S3BlobSender.otherBytes }
            try client.put(new.name, content, headers: new.headers)
            return content.size
        }
    }

    private func sendParts(_ source: S3StagedSource, _ new: S3NewBlob) async throws -> Int64 {
        let facts = new.facts
        // A digest of all bytes in order is not made of those of parts.
        if case .sha256 = facts.digest, try await sha256(of: source, facts.size) != facts.digest {
            throw S3BlobSender.otherBytes
        }
        let seal = try new.encryption.map { encryption in
            let run = SealedRun(size: facts.size, first: 0, key: FrameKey())
            return (key: run.key, trailer: try new.trailer([run], encryption))
        }
        let upload = try await threads.run { [client] in try client.begin(new.name, headers: new.headers) }
        do {
            let sent = try await parts(of: source, facts.size, upload, seal)
            if case .contentHash(let text) = facts.digest, ContentHash.joining(sent.flatMap(\.blocks)) != text {
                throw S3BlobSender.otherBytes
            }
            let size = sent.reduce(0) { $0 + $1.size }
            try await threads.run { [client] in try client.complete(upload, sent.map(\.part), size: size) }
            return size
        } catch {
            // What cannot be removed now, an undo or a sweep of the store removes.
            _ = try? await shieldedFromCancellation { [client, threads] in
                try await threads.run { try client.abort(upload) }
            }
            throw error
        }
    }

    private struct SentPart: Sendable {
        let part: S3Part
        /// The number of bytes that were sent.
        let size: Int64
        let blocks: [[UInt8]]
    }

    /// Sends the parts, a few at a time; returns them in order.
    private func parts(
        of source: S3StagedSource,
        _ size: Int64,
        _ upload: S3Upload,
        _ seal: (key: FrameKey, trailer: [UInt8])?
    ) async throws -> [SentPart] {
        let partSize = partSize(for: size)
        let starts = Array(stride(from: 0, to: size, by: Int64.Stride(partSize)))
        return try await withThrowingTaskGroup(of: SentPart.self) { group in
            var sent: [SentPart] = []
            for (index, start) in starts.enumerated() {
                if index >= settings.parallelParts, let part = try await group.next() { sent.append(part) }
                group.addTask { [client, threads] in
                    let end = min(size, start + partSize)
                    let range = try await source.range(start..<end)
                    return try await threads.run {
                        let hashed = HashedRange(range, like: .contentHash(""))
                        // Parts are whole frames, because they are whole blocks.
                        let content = try seal.map { seal in
                            let trailer = end == size ? seal.trailer : []
                            return try hashed.content(sealing: (start / Frame.size, seal.key), trailer: trailer)
                        }
                        let all = try content ?? hashed.content()
                        let part = try client.put(all, as: index + 1, of: upload)
                        return SentPart(part: part, size: all.size, blocks: hashed.hasher.finishedBlocks())
                    }
                }
            }
            for try await part in group { sent.append(part) }
            return sent.sorted { $0.part.number < $1.part.number }
        }
    }

    /// The size of the parts of a blob: whole blocks of a content hash, and not more parts than stores accept.
    private func partSize(for size: Int64) -> Int64 {
        let needed = (size + S3Client.maxParts - 1) / S3Client.maxParts
        let wanted = max(settings.partSize, needed)
        return (wanted + ContentHash.blockSize - 1) / ContentHash.blockSize * ContentHash.blockSize
    }

    private func sha256(of source: S3StagedSource, _ size: Int64) async throws -> BlobDigest {
        var hasher = SHA256()
        for start in stride(from: 0, to: size, by: Int64.Stride(settings.partSize)) {
            let range = try await source.range(start..<min(size, start + settings.partSize))
            let before = hasher
            hasher = try await threads.run {
                var hasher = before
                _ = try S3Content(size: range.size, reading: range.read) { hasher.update(bufferPointer: $0) }
                return hasher
            }
        }
        return .sha256(Array(hasher.finalize()).hexadecimal)
    }

    static var otherBytes: ServiceError {
        ServiceError(
            .internalFailure,
            "Internal error.",
            cause: UnreadableBlob("the staged bytes are not those of the facts")
        )
    }
}
