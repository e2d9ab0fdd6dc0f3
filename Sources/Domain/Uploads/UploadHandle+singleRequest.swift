extension UploadHandle {
    /// Stores all bytes of the file from one request and ends the upload: S3 PUT, the forms of Kodo and COS.
    ///
    /// A newer request stops this one. After the end, a request with equal bytes returns the same file again.
    ///
    /// - Parameters:
    ///   - announced: The announced number of bytes of the request.
    ///   - kinds: The kinds of digests, besides MD5, of which the client can announce one after the bytes.
    ///   - body: Passes the bytes to the sink and returns the announced digests.
    /// - Returns: The file's record; bytes, name and row survive a power cut.
    /// - Throws: Errors of the rules; then none of the bytes are stored.
    package func receiveAll(
        announced: Int64?,
        digesting kinds: Set<DigestKind> = [],
        _ body: @escaping @Sendable (PartSink) async throws -> [DigestKind: [UInt8]]
    ) async throws -> FileRecord {
        try requireNotEnded()
        try requireFile()
        // After the end the bytes are compared, regardless of their number.
        let remaining = (stored.isFinished ? nil : stored.size) ?? service.limits.fileSize
        let refusal = stored.isFinished ? StagedUpload.tooLarge(limit: service.limits.fileSize) : tooMany
        guard announced ?? 0 <= remaining else { throw refusal }
        let upload = try await postponingExpiry { [self] in
            try await receive(announced: announced, upTo: remaining, refusal: refusal, digesting: kinds, body)
        }
        // The bytes count until they are a file, which can take seconds, or are dropped.
        defer { active.settle(0) }
        do {
            return try await exclusively { [self] in try await end(upload.0, checking: upload.1) }
        } catch {
            // An earlier commit or the lease can prevent the end from beginning.
            await upload.0.blob.discard()
            throw error
        }
    }

    /// Stages the bytes of the request; returns them with the digests that the client announced.
    private func receive(
        announced: Int64?,
        upTo remaining: Int64,
        refusal: ServiceError,
        digesting kinds: Set<DigestKind>,
        _ body: @escaping @Sendable (PartSink) async throws -> [DigestKind: [UInt8]]
    ) async throws -> (StagedUpload, [DigestKind: [UInt8]]) {
        try await active.locks.withLock(of: 0) { [active, service] in
            var upload = try await service.stage(announced: announced, digesting: kinds)
            active.settle(0)
            do {
                let sink = PartSink(upload.writer, capacity: remaining, refusal: refusal) { active.count($0, for: 0) }
                let expected = try await body(sink)
                upload.received = sink.received
                let digests = try await upload.end()
                try UploadHandle.verify(expected.filter { kinds.contains($0.key) }, digests)
                return (upload, expected)
            } catch {
                await upload.writer.settle()
                await service.discard([upload])
                active.settle(0)
                throw error
            }
        }
    }

    /// Runs a body that receives bytes of which no row tells.
    ///
    /// On a shared store, other servers know by the upload's expiry only that it goes on. A request that fails leaves the
    /// upload as it was, so that its announced bytes do not count for as long as those of one that has begun.
    private func postponingExpiry<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        guard service.isShared, !stored.isFinished else { return try await body() }
        let interval = service.limits.startTimeout
        try await service.postpone(active, by: 2 * interval)
        return try await withThrowingTaskGroup(of: Void.self) { [active, service] group in
            group.addTask {
                while true {
                    try await service.leases.timing.pause(.seconds(interval))
                    // If the database fails, the next one can still be in time.
                    try? await service.postpone(active, by: 2 * interval)
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private func end(_ upload: StagedUpload, checking digests: [DigestKind: [UInt8]]) async throws -> FileRecord {
        do {
            try requireNotEnded()
            let needsMD5 = stored.description.announcesMD5 || digests[.md5] != nil
            let facts = try await upload.finish(needsMD5: needsMD5)
            try service.verify(digests, facts.blob)
            guard stored.isFinished else { return try await complete(upload.blob, facts) }
            // The client did not receive the response to an earlier request.
            guard let known = try await file() else {
                throw ServiceError(.uploadConflict, "The upload is finished, and its file was deleted.")
            }
            guard known.facts.digest == facts.blob.digest else {
                throw ServiceError(.uploadConflict, "The upload is finished, with other bytes than these.")
            }
            await upload.blob.discard()
            return known
        } catch {
            await upload.blob.discard()
            throw error
        }
    }

    static func beyond(_ size: Int64) -> ServiceError {
        ServiceError(.payloadTooLarge, "The body has more bytes than the announced \(size).")
    }
}
