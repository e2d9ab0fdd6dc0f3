extension UploadHandle {
    /// Takes all bytes of the file in one request and ends the upload: S3 PUT, the forms of Kodo and COS.
    ///
    /// A newer request stops this one. After the end, equal bytes are taken for the same file again.
    ///
    /// - Parameters:
    ///   - announced: How many bytes the request says it brings.
    ///   - kinds: Digests of which the client may tell one behind the bytes, besides MD5.
    ///   - body: Gives the bytes and then what the client said of them.
    /// - Returns: The file's record; bytes, name and row survive a power cut.
    /// - Throws: The error of a rule; then none of the bytes are stored.
    package func receiveAll(
        announced: Int64?,
        digesting kinds: Set<DigestKind> = [],
        _ body: @escaping @Sendable (PartSink) async throws -> [DigestKind: [UInt8]]
    ) async throws -> FileRecord {
        try requireNotEnded()
        try requireFile()
        // After the end the bytes are compared, however many come.
        let remaining = (stored.isFinished ? nil : stored.size) ?? service.limits.fileSize
        let refusal = stored.isFinished ? StagedUpload.tooLarge(limit: service.limits.fileSize) : tooMany
        guard announced ?? 0 <= remaining else { throw refusal }
        let upload = try await active.locks.withLock(of: 0) { [active, service] in
            var upload = try await service.stage(announced: announced, digesting: kinds)
            defer { active.settle(0) }
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
                throw error
            }
        }
        return try await active.locks.withAllLocks { [self] in
            try await end(upload.0, checking: upload.1)
        }
    }

    private func end(_ upload: StagedUpload, checking digests: [DigestKind: [UInt8]]) async throws -> FileRecord {
        do {
            try requireNotEnded()
            let needsMD5 = stored.description.announcesMD5 || digests[.md5] != nil
            let facts = try await upload.finish(needsMD5: needsMD5)
            try service.verify(digests, facts.blob)
            guard stored.isFinished else { return try await complete(upload.blob, facts) }
            // The answer to an earlier request was lost on its way.
            guard let known = try await file(), known.facts.digest == facts.blob.digest else {
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
