extension UploadHandle {
    /// What a part is answered with.
    package struct PartReceipt: Sendable {
        /// What the client has to name the part by in the end.
        package let tag: String
        /// The digests of the part's bytes.
        package let digests: [DigestKind: [UInt8]]
    }

    /// Takes a part with a number of the client's own; one that is sent again replaces the first.
    ///
    /// - Parameters:
    ///   - number: 1 to 10 000.
    ///   - size: How many bytes the request says it brings.
    ///   - expected: What the client says of them.
    ///   - body: Gives the bytes.
    /// - Returns: The receipt; bytes and row survive a power cut.
    /// - Throws: What a rule refuses; an earlier part with the number stays then.
    package func receivePart(
        _ number: Int,
        size: Int64,
        expecting expected: [DigestKind: [UInt8]],
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> PartReceipt {
        try await live.turns.take(number) { [self] in
            try requireOpen()
            try requireFile()
            let others = live.with { state in state.layout.received - (state.layout.parts[number]?.size ?? 0) }
            let room = (upload.size ?? service.limits.fileSize) - others
            guard size <= room else { throw tooMany }
            try await start()
            let isAgain = live.with { $0.layout.parts[number] != nil }
            let place = try live.with { [roomForParts] in
                try $0.layout.promise(number, size: size, limit: roomForParts)
            }
            let blob = try await live.blob(in: service.blobs)
            let writer = blob.write(at: place, digesting: [.md5])
            // What is of no use in the end: the place of the new bytes, or of those that they replace.
            var unused = PartLayout.Place(number: number, start: place, size: size)
            defer {
                // A first part comes again to the place of its number.
                if isAgain { live.with { [unused] state in state.layout.giveBack(unused) } }
                live.settle(number)
            }
            let sink = PartSink(writer, room: size, refusal: tooMany) { [live] in live.count($0, for: number) }
            let digests = try await UploadHandle.write(writer) {
                try await body(sink)
                guard sink.received == size else { throw UploadHandle.cutShort }
            }
            try UploadHandle.verify(expected, digests)
            let tag = (digests[.md5] ?? []).base64URL
            let known = live.with { $0.layout.parts[number] }
            if known?.tag != tag || known?.size != size {
                try await record(number, PartLayout.Part(place: place, size: size, tag: tag))
                unused = PartLayout.Place(number: number, start: known?.place ?? 0, size: known?.size ?? 0)
            }
            return PartReceipt(tag: tag, digests: digests)
        }
    }

    /// Makes the file of parts in an order, each with what the client names it by.
    ///
    /// - Throws: ``ServiceError/Code/uploadConflict`` naming the part that is missing or another, and what a rule
    ///   refuses; the upload goes on then.
    package func finish(_ claims: [(number: Int, tag: String)]) async throws -> FileRecord {
        try await live.turns.takeAll { [self] in
            try requireThere()
            if let known = try await file() { return known }
            try requireOpen()
            try requireFile()
            let parts = live.with(\.layout.parts)
            var previous = 0
            for (index, claim) in claims.enumerated() {
                guard claim.number > previous else {
                    throw ServiceError(.badRequest, "parts must be in ascending order, each part once.")
                }
                previous = claim.number
                guard let part = parts[claim.number], part.tag == claim.tag else {
                    throw ServiceError(
                        .uploadConflict,
                        "Part \(claim.number) does not exist, or has another etag."
                    )
                }
                guard index == claims.count - 1 || part.size >= service.limits.partSize else {
                    throw ServiceError(
                        .badRequest,
                        "Part \(claim.number) has \(part.size) bytes; only the last part can have less than "
                            + "\(service.limits.partSize) (uploads.minPartSize)."
                    )
                }
            }
            return try await complete(parts: claims.map(\.number))
        }
    }

    /// Runs a body that gives a writer bytes; the writer is at rest on return, whatever happens.
    static func write(
        _ writer: any BlobWriter,
        _ body: () async throws -> Void
    ) async throws -> [DigestKind: [UInt8]] {
        do {
            try await body()
            return try await writer.finish()
        } catch {
            // The next connection's bytes must not meet these.
            await writer.settle()
            throw error
        }
    }

    /// Bytes first, row second: what is recorded survives a power cut.
    func record(_ number: Int, _ part: PartLayout.Part) async throws {
        let (id, unit, others) = live.with { state in
            let before = state.layout.parts[number]?.size ?? 0
            return (state.partIDs[number], state.layout.unit ?? part.size, state.layout.received - before)
        }
        // A client that disconnects now must not prevent its bytes from being counted.
        try await Task { [live, service] in
            try await live.blob(in: service.blobs).synchronize()
            let saved = try await service.records.save(
                part,
                number,
                id: id,
                unit: unit,
                of: live.id,
                received: others + part.size,
                within: service.limits
            )
            live.with { state in
                state.partIDs[number] = saved.id
                state.upload.expiresAt = saved.expiresAt
                state.layout.record(number, part)
                state.inFlight[number] = nil
            }
        }.value
    }

    static func verify(_ expected: [DigestKind: [UInt8]], _ digests: [DigestKind: [UInt8]]) throws {
        for (kind, digest) in expected where digests[kind] != digest {
            throw ServiceError(.checksumMismatch, "The announced \(kind.rawValue) is not that of the received bytes.")
        }
    }

    /// How far parts may reach in the staged file: twice the file, for those that are sent again or lie elsewhere.
    var roomForParts: Int64 {
        2 * min(upload.size ?? service.limits.fileSize, .max / 4) + 16 * ContentHash.blockSize
    }

    var tooMany: ServiceError {
        upload.size.map { UploadHandle.beyond($0) } ?? Upload.tooLarge(limit: service.limits.fileSize)
    }

    static let cutShort = ServiceError(.badRequest, "The body ends before its announced length.")
}
