/// A digest that a client announced for its bytes.
package struct AnnouncedDigest: Sendable, Hashable {
    /// The kind of the digest.
    package let kind: DigestKind
    /// The digest.
    package let bytes: [UInt8]

    /// Creates a digest from the value of a header.
    package init(kind: DigestKind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}

extension UploadHandle {
    /// The number of the part that grows.
    static let number = 1

    /// The number of stored bytes, after the current connection is stopped.
    ///
    /// It stops a connection that still sends bytes, because a client requests the offset after its connection broke.
    ///
    /// A client that gets the full size as the offset sends no more requests, so a complete upload is finished first:
    /// see ``finishIfComplete()``.
    ///
    /// - Returns: `nil` for a final upload whose pieces are not all finished.
    /// - Throws: The errors of ``finishIfComplete()``; ``ServiceError/Code/uploadNotFound`` if the upload has ended.
    package func settledOffset() async throws -> Int64? {
        try requireNotEnded()
        if stored.isWaiting {
            try await finishIfComplete()
            return stored.isFinished ? progress.received : nil
        }
        while !stored.isFinished {
            do {
                let offset: Int64? = try await active.locks.withLock(of: UploadHandle.number) { [self] in
                    try await stopOtherServers()
                    // The sweep can have finished it while this waited for the lock.
                    return active.with(\.stored.isFinished) ? nil : storedOffset
                }
                guard let offset else { continue }
                guard isComplete else { return offset }
                try await finishIfComplete()
            } catch let error as ServiceError where error.code == .superseded {
                // The server can read bytes of a dead connection after this request began: that connection is stopped
                // as well.
                try Task.checkCancellation()
            }
        }
        return progress.received
    }

    /// Ends requests of other servers that append, so that the recorded size stays.
    private func stopOtherServers() async throws {
        try await refresh()
        guard active.with({ $0.isGrowing && !$0.stored.isFinished }) else { return }
        do {
            _ = try await attempt(.stopAppending, row: active.with { $0.partIDs[UploadHandle.number] })
        } catch let error as ServiceError where error.code == .uploadConflict {
            // It was finished meanwhile.
        }
        try await refresh()
    }

    /// The number of stored bytes, without those that a connection is sending.
    package var storedOffset: Int64 {
        // In one step, because the end of an upload empties its layout.
        active.with { state in
            guard !state.stored.isFinished || state.stored.kind == .partial else { return state.stored.size ?? 0 }
            return state.layout.parts[UploadHandle.number]?.size ?? 0
        }
    }

    /// Appends bytes; when the announced size is reached, the upload is finished.
    ///
    /// The bytes of an interrupted request stay, unless the client announced a digest of them. On return, and every
    /// ``PartSink/checkpoint`` bytes, bytes and row survive a power cut.
    ///
    /// - Parameters:
    ///   - offset: The end of the bytes according to the client.
    ///   - size: The final number of bytes, if the client announces it with this request.
    ///   - announced: The announced number of bytes of the request.
    ///   - kinds: The kinds of digests of which the client announces one, before or after the bytes; empty if it
    ///     announces none.
    ///   - body: Passes the bytes to the sink and returns the announced digest.
    /// - Returns: The number of stored bytes.
    /// - Throws: ``ServiceError/Code/uploadConflict`` if the end is elsewhere, and errors of the rules.
    package func append(
        at offset: Int64,
        sized size: Int64? = nil,
        announced: Int64?,
        digesting kinds: Set<DigestKind>,
        _ body: @escaping @Sendable (PartSink) async throws -> AnnouncedDigest?
    ) async throws -> Int64 {
        let number = UploadHandle.number
        let end = try await active.locks.withLock(of: number) { [self] in
            try requireNotEnded()
            try await refresh()
            let there = storedOffset
            guard there == offset else { throw UploadHandle.conflict(at: offset, recorded: there) }
            guard !stored.isFinished else {
                guard announced ?? 0 == 0 else { throw tooMany }
                // A chunked body announces nothing, and no client must assume that discarded bytes were stored.
                _ = try await body(PartSink(refusal: tooMany))
                return offset
            }
            if let size { try await announce(size: size) }
            let remaining = (stored.size ?? service.limits.fileSize) - offset
            guard announced ?? 0 <= remaining else { throw tooMany }
            try await start()
            do {
                return try await extend(from: offset, by: remaining, kinds, body)
            } catch let error as ServiceError where [.uploadConflict, .superseded].contains(error.code) {
                // The client gets the recorded size with the refusal, also if another server recorded it.
                try? await refresh()
                throw error
            }
        }
        try await finishIfComplete()
        return end
    }

    /// Sets the size of an upload that began without one.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the size is already set or less than the stored bytes,
    ///   ``ServiceError/Code/payloadTooLarge``, ``ServiceError/Code/quotaExceeded``.
    private func announce(size: Int64) async throws {
        guard stored.size != size else { return }
        try service.limits.requireSize(size)
        guard size >= progress.received else { throw UploadHandle.lengthChanges }
        try await service.change(active) { upload in
            guard upload.size ?? size == size else { throw UploadHandle.lengthChanges }
            upload.size = size
        }
    }

    static func conflict(at offset: Int64, recorded: Int64) -> ServiceError {
        ServiceError(.uploadConflict, "Upload-Offset is \(offset), but the upload has \(recorded) bytes.")
    }

    private static let lengthChanges = ServiceError(
        .badRequest,
        "Upload-Length must not change, and must not be less than the bytes of the upload."
    )

    private func extend(
        from offset: Int64,
        by remaining: Int64,
        _ kinds: Set<DigestKind>,
        _ body: @escaping @Sendable (PartSink) async throws -> AnnouncedDigest?
    ) async throws -> Int64 {
        let number = UploadHandle.number
        let row = active.with { $0.partIDs[number] }
        let attempt = try await attempt(.append(after: offset), row: row)
        let start = try active.with { state in
            try attempt?.offset ?? state.layout.parts[number]?.offset
                ?? state.layout.reserve(number, size: offset + remaining, limit: offset + remaining)
        }
        let blob = try await active.blob(in: service.storage.staging)
        let store: @Sendable (Int64, Bool) async throws -> Void = { [self] received, isOver in
            let part = PartLayout.Part(offset: start, size: offset + received, tag: "")
            if var attempt {
                // What this request recorded last; no other one records while the attempt lasts.
                attempt.recorded = active.with { $0.layout.parts[number]?.size ?? 0 }
                try await record(part, in: blob, by: attempt, ending: isOver)
            } else {
                try await record(number, part, in: blob)
            }
        }
        let writer = blob.write(at: start + offset, order: attempt?.order, digesting: kinds)
        let checkpoint: @Sendable (Int64) async throws -> Void = { try await store($0, false) }
        let sink = PartSink(writer, capacity: remaining, refusal: tooMany, store: kinds.isEmpty ? checkpoint : nil) {
            [active] in
            active.count($0, for: number)
        }
        active.settle(number, holding: offset)
        defer { active.settle(number) }
        do {
            let expected = try await body(sink)
            let digests = try await writer.finish()
            if !kinds.isEmpty {
                guard let expected, digests[expected.kind] == expected.bytes else {
                    throw ServiceError(.checksumMismatch, "The announced checksum is not that of the received bytes.")
                }
            }
        } catch {
            if kinds.isEmpty, sink.received <= remaining {
                // What was received counts, also if the client disconnected.
                try? await shieldedFromCancellation {
                    _ = try await writer.finish()
                    try await store(sink.received, true)
                }
            }
            await writer.settle()
            throw error
        }
        if sink.received > 0 || offset == 0 { try await store(sink.received, true) }
        return offset + sink.received
    }
}
