/// Files whose bytes the mirror fetches from the origin (docs/mirror.md).
extension UploadService {
    /// Stores the file of a key: stages what a fetch yields, verifies it, and commits it like any upload.
    ///
    /// On return bytes, folders and rows survive a power cut. On failure no bytes and no rows are left.
    ///
    /// - Parameters:
    ///   - key: A key without a file, or with a record whose bytes are missing.
    ///   - limit: The maximum size of the file in bytes.
    ///   - fetch: Passes the bytes to the sink, and returns the metadata of the file.
    /// - Returns: The record; that of another upload if it finished a file under the key first.
    /// - Throws: ``ServiceError/Code/payloadTooLarge``, ``ServiceError/Code/checksumMismatch``,
    ///   ``ServiceError/Code/quotaExceeded``, ``ServiceError/Code/fileNotFound`` if the file is deleted; errors of the
    ///   fetch and of the storage.
    package func mirror(
        _ key: FileKey,
        upTo limit: Int64,
        _ fetch: (PartSink) async throws -> FetchedHead
    ) async throws -> FileRecord {
        let expected = try await files.missing(key: key)
        let refusal = ServiceError(.payloadTooLarge, "The file has more than \(limit) bytes (mirror.maxSize).")
        guard expected?.size ?? 0 <= limit else { throw refusal }
        try await files.requireQuota(for: expected?.size ?? 0, within: limits.quota)
        var upload = try await stage(announced: expected?.size)
        do {
            let sink = PartSink(upload.writer, capacity: limit, refusal: refusal) { _ in }
            let head = try await fetch(sink)
            upload.received = sink.received
            let facts = try await upload.finish(needsMD5: expected?.md5 != nil)
            try head.verify(facts.blob)
            // A client that disconnects now must not leave a commit halfway.
            let record = try await shieldedFromCancellation { [upload] in
                try await claiming(key) { try await store(upload, facts, head, as: key) }
            }
            await upload.blob.discard()
            return record
        } catch {
            await shieldedFromCancellation { [upload] in await discard([upload]) }
            throw error
        }
    }

    /// Commits the bytes; called with a claim on the key.
    private func store(
        _ upload: StagedUpload,
        _ facts: StagedFacts,
        _ head: FetchedHead,
        as key: FileKey
    ) async throws -> FileRecord {
        // An import or another request can have stored the file, or created its record, during the fetch.
        if let file = try await files.file(key: key) { return file }
        let missing = try await files.missing(key: key)
        // All fetches of a missing file commit under its id; the record of an undecided one can be stored.
        if let missing, try await settleRequests(for: missing.id), let file = try await files.file(key: key) {
            return file
        }
        try missing?.verify(facts.blob)
        let record = try await record(of: facts, head, as: key, missing)
        try await storage.commit(upload.blob, facts.blob, as: key, of: record.id)
        do {
            try upload.blob.requireOwnCommit()
            try await files.insert([record], as: Caller(app: app, isMaster: true), within: limits.quota)
        } catch {
            try await revert(upload.blob, record)
            throw error
        }
        // What is stored can have more than the record that was composed: the ACL of an imported record or of the class,
        // and a verdict that waits for a check.
        guard let stored = try await files.file(key: key) else { throw FileService.notFound }
        return stored
    }

    private func record(
        of facts: StagedFacts,
        _ head: FetchedHead,
        as key: FileKey,
        _ missing: MissingFile?
    ) async throws -> FileRecord {
        let name = try missing?.name ?? (try? FileName(key.lastSegment, limit: .max)) ?? FileName("file", limit: .max)
        let said = head.mediaType.flatMap { $0 == .octetStream ? nil : $0 }
        let byExtension = name.pathExtension.flatMap(types.type(ofExtension:))
        let known = missing?.mediaType ?? said ?? byExtension
        let detected = try await detectedType(of: facts.head, known: known)
        return FileRecord(
            id: missing?.id ?? ids.next(),
            key: key,
            name: name,
            mediaType: known ?? detected ?? .octetStream,
            detectedType: detected,
            facts: facts.blob,
            metaData: FileMetadata.uploaded([:], facts.blob, from: nil, owner: nil),
            acl: nil,
            createdAt: missing?.createdAt ?? clock(),
            mirrorState: missing == nil ? .created : .filled
        )
    }
}

extension FetchedHead {
    /// Throws ``ServiceError/Code/checksumMismatch`` if the entity tag is Qiniu's hash of other bytes, or if the bytes
    /// are encoded, so that they are not those of the file.
    fileprivate func verify(_ facts: BlobFacts) throws {
        guard !isEncoded else {
            throw ServiceError(.checksumMismatch, "The origin sent the file in a Content-Encoding.")
        }
        guard let hash = tag.flatMap(ContentHash.named(byTag:)), case .contentHash(let actual) = facts.digest else {
            return
        }
        guard hash == actual else {
            throw ServiceError(.checksumMismatch, "The bytes are not those of the ETag of the origin.")
        }
    }
}

extension ContentHash {
    /// The hash in an entity tag: 28 characters with one of the type bytes of hashes; `nil` for other tags.
    ///
    /// Qiniu's files that were uploaded in parts of other sizes have another type byte and a hash of those parts.
    fileprivate static func named(byTag tag: String) -> String? {
        let text = tag.split(separator: "\"", omittingEmptySubsequences: true).last.map(String.init) ?? ""
        guard text.utf8.count == 28, text.hasPrefix("F") || text.hasPrefix("l"), !tag.hasPrefix("W/") else {
            return nil
        }
        return text
    }
}
