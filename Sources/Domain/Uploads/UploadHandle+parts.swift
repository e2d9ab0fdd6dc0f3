extension UploadHandle {
    /// The result of a stored part.
    package struct PartReceipt: Sendable {
        /// The tag by which the client names the part when it finishes the upload.
        package let tag: String
        /// The digests of the part's bytes.
        package let digests: [DigestKind: [UInt8]]
    }

    /// Stores a part with a number from the client; a part that is sent again replaces the first.
    ///
    /// - Parameters:
    ///   - number: 1 to 10 000.
    ///   - size: The announced number of bytes of the request.
    ///   - expected: The announced digests.
    ///   - body: Passes the bytes to the sink.
    /// - Returns: The receipt; bytes and row survive a power cut.
    /// - Throws: Errors of the rules; an earlier part with the number stays then.
    package func receivePart(
        _ number: Int,
        size: Int64,
        expecting expected: [DigestKind: [UInt8]],
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> PartReceipt {
        try await decideCommitIfUndecided()
        return try await active.locks.withLock(of: number) { [self] in
            try await refresh(.none)
            try requireOpen()
            try requireFile()
            try await requireCapacity(for: number, size: size)
            try await start()
            let row = active.with { $0.partIDs[number] }
            let attempt = try await attempt(.part(number, size: size), row: row)
            let isAgain = attempt == nil && active.with { $0.layout.parts[number] != nil }
            let offset = try active.with { [partCapacity] in
                try attempt?.offset ?? $0.layout.reserve(number, size: size, limit: partCapacity)
            }
            let blob = try await active.blob(in: service.storage.staging)
            let writer = blob.write(at: offset, order: attempt?.order, digesting: [.md5])
            // The slot that becomes unused: that of the new bytes, or of those that they replace.
            var unused = PartLayout.Slot(number: number, offset: offset, size: size)
            defer {
                // The slot of a first part stays reserved: a repeated request writes to the same offset.
                if isAgain { active.with { [unused] state in state.layout.release(unused) } }
                active.settle(number)
            }
            // While a part is sent again, its new bytes count in addition to those that they will replace.
            let held = attempt?.recorded ?? active.with { $0.layout.parts[number]?.size ?? 0 }
            active.settle(number, holding: held)
            let sink = PartSink(writer, capacity: size, refusal: tooMany) { [active] in active.count($0, for: number) }
            let digests = try await UploadHandle.write(writer) {
                try await body(sink)
                guard sink.received == size else { throw UploadHandle.cutShort }
            }
            try UploadHandle.verify(expected, digests)
            let tag = (digests[.md5] ?? []).base64URL
            if let attempt {
                let part = PartLayout.Part(offset: offset, size: size, tag: tag)
                try await record(part, in: blob, by: attempt, ending: true)
                return PartReceipt(tag: tag, digests: digests)
            }
            let known = active.with { $0.layout.parts[number] }
            if known?.tag != tag || known?.size != size {
                try await record(number, PartLayout.Part(offset: offset, size: size, tag: tag), in: blob)
                unused = PartLayout.Slot(number: number, offset: known?.offset ?? 0, size: known?.size ?? 0)
            }
            return PartReceipt(tag: tag, digests: digests)
        }
    }

    /// Throws unless a part fits into the file beside the others.
    ///
    /// If all parts of the upload are at their places in the file, and this one is, too, the others need not be known.
    private func requireCapacity(for number: Int, size: Int64) async throws {
        let capacity = stored.size ?? service.limits.fileSize
        if service.isShared {
            guard stored.sharing?.isPlace(of: number, size: size, below: capacity) != true else { return }
            try await refresh()
        }
        let others = active.with { state in state.layout.received - (state.layout.parts[number]?.size ?? 0) }
        guard size <= capacity - others else { throw tooMany }
    }

    /// Creates the file of the listed parts, in their order, each with its tag.
    ///
    /// - Throws: ``ServiceError/Code/uploadConflict`` naming the missing or different part, and errors of the rules;
    ///   the upload continues then, except after a few refusals because of the bytes.
    package func finish(_ listed: [(number: Int, tag: String)]) async throws -> FileRecord {
        try await exclusively { [self] in
            if let known = try await finishedFile() { return known }
            let parts = active.with(\.layout.parts)
            var previous = 0
            for (index, entry) in listed.enumerated() {
                guard entry.number > previous else {
                    throw ServiceError(.badRequest, "parts must be in ascending order, each part once.")
                }
                previous = entry.number
                guard let part = parts[entry.number], part.tag == entry.tag else {
                    throw ServiceError(
                        .uploadConflict,
                        "Part \(entry.number) does not exist, or has another etag."
                    )
                }
                guard index == listed.count - 1 || part.size >= service.limits.partSize else {
                    throw ServiceError(
                        .badRequest,
                        "Part \(entry.number) has \(part.size) bytes; only the last part can have less than "
                            + "\(service.limits.partSize) (uploads.minPartSize)."
                    )
                }
            }
            return try await complete(parts: listed.map(\.number))
        }
    }

    /// Runs a body that passes bytes to a writer; on return or error the writer has no running writes.
    static func write(
        _ writer: any BlobWriter,
        _ body: () async throws -> Void
    ) async throws -> [DigestKind: [UInt8]] {
        do {
            try await body()
            return try await writer.finish()
        } catch {
            // The writes of this connection must end before those of the next one begin.
            await writer.settle()
            throw error
        }
    }

    /// Records a part that was written through a blob: bytes first, row second, so that a recorded part survives a power
    /// cut.
    func record(_ number: Int, _ part: PartLayout.Part, in blob: any StagedBlob) async throws {
        let (id, unit, others) = active.with { state in
            let before = state.layout.parts[number]?.size ?? 0
            return (state.partIDs[number], state.layout.unit ?? part.size, state.layout.received - before)
        }
        // A client that disconnects now must not prevent its bytes from being counted.
        try await shieldedFromCancellation { [active, service] in
            try await active.synchronize(blob)
            let saved = try await service.records.save(
                part,
                number,
                id: id,
                unit: unit,
                of: active.id,
                received: others + part.size,
                within: service.limits
            )
            active.with { state in
                state.partIDs[number] = saved.id
                state.stored.expiresAt = saved.expiresAt
                state.layout.record(number, part)
            }
        }
    }

    static func verify(_ expected: [DigestKind: [UInt8]], _ digests: [DigestKind: [UInt8]]) throws {
        for (kind, digest) in expected where digests[kind] != digest {
            throw ServiceError(.checksumMismatch, "The announced \(kind.rawValue) is not that of the received bytes.")
        }
    }

    /// The maximum end of parts in the staged file: twice the file, for parts that are sent again or stored elsewhere.
    var partCapacity: Int64 {
        2 * min(stored.size ?? service.limits.fileSize, .max / 4) + 16 * ContentHash.blockSize
    }

    var tooMany: ServiceError {
        stored.size.map { UploadHandle.beyond($0) } ?? StagedUpload.tooLarge(limit: service.limits.fileSize)
    }

    static let cutShort = ServiceError(.badRequest, "The body ends before its announced length.")
}
