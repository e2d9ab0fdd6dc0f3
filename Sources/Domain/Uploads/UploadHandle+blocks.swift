internal import Crypto

extension UploadHandle {
    /// What a chunk is answered with.
    package struct ChunkReceipt: Sendable {
        /// To be shown with the next chunk, or in the end.
        package let context: String
        /// How much of the block is there.
        package let offset: Int64
        /// The CRC-32 of the chunk.
        package let crc32: [UInt8]
        /// The SHA-1 of the chunk.
        package let sha1: [UInt8]
    }

    /// The most bytes of a block.
    package static let blockSize: Int64 = 4 << 20

    /// Begins a block of a size with its first chunk.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for a size that no block has, and what a rule refuses.
    package func beginBlock(
        size: Int64,
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> ChunkReceipt {
        guard (1...UploadHandle.blockSize).contains(size) else {
            throw ServiceError(.badRequest, "A block must have 1 to \(UploadHandle.blockSize) bytes.")
        }
        try requireOpen()
        try requireFile()
        try await start()
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
            // The upload may have ended since its bytes were opened above.
            if stored.isFinished { try? await service.storage.staging.stage(as: active.id).discard() }
            throw error
        }
    }

    /// Goes on with a block.
    ///
    /// - Throws: ``ServiceError/Code/invalidContext`` unless the context is one of this upload and says this offset.
    package func continueBlock(
        _ text: some StringProtocol,
        at offset: Int64,
        _ body: @escaping @Sendable (PartSink) async throws -> Void
    ) async throws -> ChunkReceipt {
        try requireOpen()
        guard let context = context(text), context.offset == offset, !context.isComplete else {
            throw UploadHandle.invalidContext
        }
        return try await take(body, into: context)
    }

    /// Makes the file of blocks in the order of their contexts.
    ///
    /// - Throws: ``ServiceError/Code/invalidContext`` for a block that is not whole or not there, and what a rule
    ///   refuses.
    package func finishBlocks(_ texts: [Substring], size: Int64) async throws -> FileRecord {
        try await active.locks.withAllLocks { [self] in
            try requireNotEnded()
            if let known = try await file() { return known }
            try requireOpen()
            try requireFile()
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
        into context: BlockContext
    ) async throws -> ChunkReceipt {
        let number = context.number
        return try await active.locks.withLock(of: number) { [self] in
            try requireOpen()
            let blob = try await active.blob(in: service.storage.staging)
            if active.with({ $0.layout.parts[number]?.offset == context.start }) {
                return try await compare(body, with: context, in: blob)
            }
            var held = context.offset
            active.settle(number, holding: held)
            defer { active.settle(number, holding: held) }
            let writer = blob.write(at: context.start + context.offset, digesting: [.crc32, .sha1])
            let (digests, count) = try await write(body, into: context, writer) { active.count($0, for: number) }
            let after = context.adding(count)
            held = after.isComplete ? 0 : after.offset
            if after.isComplete {
                try await record(number, PartLayout.Part(offset: context.start, size: context.size, tag: ""))
            }
            return receipt(after, digests)
        }
    }

    /// Takes a chunk of a block that is whole, which comes again because its answer was lost: it must be what is there.
    private func compare(
        _ body: @escaping @Sendable (PartSink) async throws -> Void,
        with context: BlockContext,
        in blob: any StagedBlob
    ) async throws -> ChunkReceipt {
        let draft = try await service.storage.staging.stage()
        do {
            let writer = draft.write(at: 0, digesting: [.crc32, .sha1])
            let (digests, count) = try await write(body, into: context, writer) { _ in }
            let there = try await blob.read(at: context.start + context.offset, count: Int(count))
            guard try await draft.read(at: 0, count: Int(count)) == there else { throw UploadHandle.invalidContext }
            await draft.discard()
            return receipt(context.adding(count), digests)
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
            // A block that nothing is written of could not be told from none after a restart.
            guard sink.received > 0 else { throw ServiceError(.badRequest, "A chunk must have at least one byte.") }
        }
        return (digests, sink.received)
    }

    private func receipt(_ context: BlockContext, _ digests: [DigestKind: [UInt8]]) -> ChunkReceipt {
        ChunkReceipt(
            context: context.text(signedBy: key, in: service.storage.staging.bootID),
            offset: context.offset,
            crc32: digests[.crc32] ?? [],
            sha1: digests[.sha1] ?? []
        )
    }

    private func context(_ text: some StringProtocol) -> BlockContext? {
        BlockContext(text, signedBy: key, in: service.storage.staging.bootID)
    }

    /// Keeps contexts of one upload from another; its holder could make it, and would spoil nothing but its own file.
    private var key: SymmetricKey {
        SymmetricKey(data: Array(stored.tokenDigest.utf8))
    }

    private static let invalidContext = ServiceError(
        .invalidContext,
        "The ctx does not belong to this upload, or its bytes were lost; send the block again."
    )
}
