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
    /// - Throws: ``ServiceError/Code/internalFailure`` if they do not match; then there is no object.
    func send(_ staged: any StagedBlob, _ facts: BlobFacts, to name: String) async throws {
        let headers = S3BlobMetadata.headers(facts)
        if let staged = staged as? any S3CopyableBlob {
            do {
                return try await staged.copy(to: name, facts, headers: headers)
            } catch let error as S3Error {
                throw ServiceError(error)
            }
        }
        let source = try await S3StagedSource(staged)
        let isSingle = facts.size <= (source.isLocal ? settings.singlePutSize : settings.partSize)
        guard isSingle else { return try await sendParts(source, facts, to: name, headers) }
        let range = try await source.range(0..<facts.size)
        try await threads.run { [client] in
            var hasher = PartHasher(like: facts.digest)
            let content = try S3Content(size: range.size, reading: range.read) { hasher.update($0) }
            guard hasher.finish() == facts.digest else { throw S3BlobSender.otherBytes }
            try client.put(name, content, headers: headers)
        }
    }

    private func sendParts(
        _ source: S3StagedSource,
        _ facts: BlobFacts,
        to name: String,
        _ headers: [(name: String, value: String)]
    ) async throws {
        // A digest of all bytes in order is not made of those of parts.
        if case .sha256 = facts.digest, try await sha256(of: source, facts.size) != facts.digest {
            throw S3BlobSender.otherBytes
        }
        let fields = headers
        let upload = try await threads.run { [client] in try client.begin(name, headers: fields) }
        do {
            let sent = try await parts(of: source, facts.size, upload)
            if case .contentHash(let text) = facts.digest, ContentHash.joining(sent.flatMap(\.blocks)) != text {
                throw S3BlobSender.otherBytes
            }
            try await threads.run { [client] in try client.complete(upload, sent.map(\.part), size: facts.size) }
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
        let blocks: [[UInt8]]
    }

    /// Sends the parts, a few at a time; returns them in order.
    private func parts(of source: S3StagedSource, _ size: Int64, _ upload: S3Upload) async throws -> [SentPart] {
        let partSize = partSize(for: size)
        let starts = Array(stride(from: 0, to: size, by: Int64.Stride(partSize)))
        return try await withThrowingTaskGroup(of: SentPart.self) { group in
            var sent: [SentPart] = []
            for (index, start) in starts.enumerated() {
                if index >= settings.parallelParts, let part = try await group.next() { sent.append(part) }
                group.addTask { [client, threads] in
                    let range = try await source.range(start..<min(size, start + partSize))
                    return try await threads.run {
                        var hasher = PartHasher(like: .contentHash(""))
                        let content = try S3Content(size: range.size, reading: range.read) { hasher.update($0) }
                        let part = try client.put(content, as: index + 1, of: upload)
                        return SentPart(part: part, blocks: hasher.finishedBlocks())
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
