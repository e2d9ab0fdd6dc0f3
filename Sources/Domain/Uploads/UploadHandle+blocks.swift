internal import Crypto

extension UploadHandle {
    /// The result of a stored chunk.
    package struct ChunkReceipt: Sendable {
        /// The context that the client sends with the next chunk and with the end of the upload.
        package let context: String
        /// The number of stored bytes of the block.
        package let offset: Int64
        /// The CRC-32 of the chunk.
        package let crc32: [UInt8]
        /// The SHA-1 of the chunk.
        package let sha1: [UInt8]
    }

    /// The maximum size of a block in bytes.
    package static let blockSize: Int64 = 4 << 20

    /// Begins a block of a size with its first chunk.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for an invalid size, and errors of the rules.
    package func beginBlock(
        size: Int64,
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> ChunkReceipt {
        guard (1...UploadHandle.blockSize).contains(size) else {
            throw ServiceError(.badRequest, "A block must have 1 to \(UploadHandle.blockSize) bytes.")
        }
        try await decideCommitIfUndecided()
        try requireOpen()
        try requireFile()
        try await start()
        if let attempt = try await attempt(.block(size: size)) {
            return try await beginBlock(size: size, attempt, body)
        }
        let extent = try await active.blob(in: service.storage.staging).extent()
        let slot = try active.with { [partCapacity] state in
            try state.layout.reserveNext(
                size: size,
                unit: UploadHandle.blockSize,
                extent: extent,
                limit: partCapacity
            )
        }
        do {
            let context = BlockContext(number: slot.number, start: slot.offset, size: size, offset: 0)
            return try await take(body, into: context)
        } catch {
            active.with { $0.layout.release(slot) }
            // The upload can have ended since its bytes were opened above.
            if stored.isFinished { try? await service.storage.staging.stage(as: active.id).discard() }
            throw error
        }
    }

    /// The same on a shared store, where the slot of the block is a row.
    private func beginBlock(
        size: Int64,
        _ attempt: PartAttempt,
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> ChunkReceipt {
        do {
            let context = BlockContext(number: attempt.number, start: attempt.offset, size: size, offset: 0)
            return try await take(body, into: context, by: attempt)
        } catch {
            _ = try? await shieldedFromCancellation { [active, service] in
                try await service.records.release(attempt, of: active.id)
                await service.discardLate(active)
            }
            throw error
        }
    }

    /// Appends a chunk to a block.
    ///
    /// - Throws: ``ServiceError/Code/invalidContext`` unless the context belongs to this upload and contains this
    ///   offset.
    package func continueBlock(
        _ text: some StringProtocol,
        at offset: Int64,
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> ChunkReceipt {
        try await decideCommitIfUndecided()
        try requireOpen()
        guard let context = context(text), context.offset == offset, !context.isComplete else {
            throw UploadHandle.invalidContext
        }
        return try await take(body, into: context)
    }

    /// Creates the file of blocks in the order of their contexts.
    ///
    /// - Throws: ``ServiceError/Code/invalidContext`` for a block that is incomplete or missing, and errors of the
    ///   rules.
    package func finishBlocks(_ texts: [Substring], size: Int64) async throws -> FileRecord {
        try await exclusively { [self] in
            if let known = try await finishedFile() { return known }
            let parts = active.with(\.layout.parts)
            var order: [Int] = []
            for text in texts {
                guard let context = context(text), context.isComplete, parts[context.number]?.offset == context.start,
                    !order.contains(context.number)
                else { throw UploadHandle.invalidContext }
                order.append(context.number)
            }
            let total = order.reduce(0) { $0 + (parts[$1]?.size ?? 0) }
            guard total == size else {
                throw ServiceError(.badRequest, "The blocks have \(total) bytes, but the path says \(size).")
            }
            return try await complete(parts: order)
        }
    }

    private func take(
        _ body: @escaping @Sendable (PartSink) async throws -> Void,
        into context: BlockContext,
        by begun: PartAttempt? = nil
    ) async throws -> ChunkReceipt {
        let number = context.number
        // Before the bytes: if a sync fails while they come, they may be lost, and the context is not accepted any more.
        let boot = service.storage.staging.bootID
        return try await active.locks.withLock(of: number) { [self] in
            if begun == nil { try await refresh(.number(number)) }
            try requireOpen()
            let blob = try await active.blob(in: service.storage.staging)
            if active.with({ $0.layout.parts[number]?.offset == context.start }) {
                return try await compare(body, with: context, in: blob, since: boot)
            }
            let row = active.with { $0.partIDs[number] }
            let next = PartRequest.chunk(number: number, start: context.start)
            let attempt = if let begun { begun } else { try await attempt(next, row: row) }
            var held = context.offset
            active.settle(number, holding: held)
            defer { active.settle(number, holding: held) }
            let offset = context.start + context.offset
            let writer = blob.write(at: offset, order: attempt?.order, digesting: [.crc32, .sha1])
            let (digests, count) = try await write(body, into: context, writer) { active.count($0, for: number) }
            let after = context.adding(count)
            // On a shared store the row has them, because the next chunk can come to another server.
            held = after.isComplete || attempt != nil ? 0 : after.offset
            if after.isComplete {
                let part = PartLayout.Part(offset: context.start, size: context.size, tag: "")
                if let attempt {
                    try await record(part, in: blob, by: attempt, ending: true)
                } else {
                    try await record(number, part, in: blob)
                }
            } else if let attempt {
                // Its context can be used on every server, so the bytes must be the newest of the block.
                try await confirm(attempt, holding: after.offset)
            }
            return receipt(after, digests, since: boot)
        }
    }

    /// Compares a repeated chunk with a complete block; the client repeats it if it did not receive the response.
    private func compare(
        _ body: @escaping @Sendable (PartSink) async throws -> Void,
        with context: BlockContext,
        in blob: any StagedBlob,
        since boot: String
    ) async throws -> ChunkReceipt {
        let draft = try await service.storage.staging.stage()
        do {
            let writer = draft.write(at: 0, digesting: [.crc32, .sha1])
            let (digests, count) = try await write(body, into: context, writer) { _ in }
            let there = try await blob.read(at: context.start + context.offset, count: Int(count))
            guard try await draft.read(at: 0, count: Int(count)) == there else { throw UploadHandle.invalidContext }
            await draft.discard()
            return receipt(context.adding(count), digests, since: boot)
        } catch {
            await draft.discard()
            throw error
        }
    }

    private func write(
        _ body: @escaping @Sendable (PartSink) async throws -> Void,
        into context: BlockContext,
        _ writer: any BlobWriter,
        onBytes: @escaping @Sendable (Int64) -> Void
    ) async throws -> (digests: [DigestKind: [UInt8]], count: Int64) {
        let refusal = ServiceError(.badRequest, "The chunk is longer than the rest of its block.")
        let sink = PartSink(writer, capacity: context.size - context.offset, refusal: refusal, onBytes: onBytes)
        let digests = try await UploadHandle.write(writer) {
            try await body(sink)
            // After a restart, a block without bytes could not be distinguished from a missing one.
            guard sink.received > 0 else { throw ServiceError(.badRequest, "A chunk must have at least one byte.") }
        }
        return (digests, sink.received)
    }

    private func receipt(
        _ context: BlockContext,
        _ digests: [DigestKind: [UInt8]],
        since boot: String
    ) -> ChunkReceipt {
        ChunkReceipt(
            context: context.text(signedBy: key, in: boot),
            offset: context.offset,
            crc32: digests[.crc32] ?? [],
            sha1: digests[.sha1] ?? []
        )
    }

    private func context(_ text: some StringProtocol) -> BlockContext? {
        BlockContext(text, signedBy: key, in: service.storage.staging.bootID)
    }

    /// The key that signs contexts, so that no other upload accepts them.
    private var key: SymmetricKey {
        SymmetricKey(data: Array(stored.contextKey.utf8))
    }

    static let invalidContext = ServiceError(
        .invalidContext,
        "The ctx does not belong to this upload, or its bytes were lost; send the block again."
    )
}
