/// A file that a client announces for upload.
package struct UploadAnnouncement: Sendable {
    /// The client's description of the file.
    package var description: UploadDescription
    /// The key that the client chose; with `nil`, the server generates one.
    package var key: String?
    /// The kind of the upload.
    package var kind: StoredUpload.Kind
    /// The announced number of bytes; `nil` if there is none.
    package var size: Int64?
    /// See ``StoredUpload/metadataHeader``.
    package var metadataHeader: String?
    /// Whether the last byte finishes the upload.
    package var finishesOnLastByte = false
    /// The partial uploads of a final one, in order.
    var pieces: [ObjectID] = []

    /// Creates an announcement from checked values.
    package init(
        _ description: UploadDescription,
        key: String? = nil,
        kind: StoredUpload.Kind = .file,
        size: Int64?
    ) {
        self.description = description
        self.key = key
        self.kind = kind
        self.size = size
    }
}

extension UploadService {
    /// Creates an upload for the holder of its token; on return it survives a power cut.
    ///
    /// - Parameters:
    ///   - announcement: The announced file.
    ///   - caller: The caller.
    /// - Returns: The upload and its token, which the server cannot return again.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/payloadTooLarge``,
    ///   ``ServiceError/Code/quotaExceeded``, ``ServiceError/Code/tooManyUploads``,
    ///   ``ServiceError/Code/duplicateValue``.
    package func announce(
        _ announcement: UploadAnnouncement,
        as caller: Caller
    ) async throws -> (upload: StoredUpload, token: UploadToken) {
        try requestLimits.takeUpload(by: caller)
        let caller = try await sessions.revalidated(caller)
        try limits.requireSize(announcement.size ?? 0)
        let description = announcement.description
        if let type = description.mediaType, type != .octetStream, !limits.types.allows(type) {
            throw UploadService.refusal(of: type)
        }
        let token = UploadToken()
        let system = try description.systemFields(for: caller, ids: ids, clock: clock)
        let key = try key(for: announcement, as: caller)
        try await requireFree(system.id, for: key, givenBy: description)
        try await endUpload(system.id, givenBy: description, as: caller)
        var upload = StoredUpload(
            id: system.id,
            tokenDigest: token.digest,
            contextKey: RandomString.alphanumeric(32),
            key: key,
            description: description,
            creator: StoredUpload.Creator(caller),
            kind: announcement.kind,
            metadataHeader: announcement.metadataHeader,
            size: announcement.size,
            counted: announcement.size ?? 0,
            createdAt: system.createdAt,
            updatedAt: system.updatedAt,
            expiresAt: clock().adding(seconds: limits.startTimeout),
            finishesOnLastByte: announcement.finishesOnLastByte
        )
        if isShared {
            // An earlier upload can have had a given id: late bytes of it are older than all of this one.
            let order = description.systemFields.isEmpty ? 0 : Int(clock().milliseconds)
            upload.sharing = SharedUploadState(order: order)
        }
        try limits.record.requireSize(of: upload.object, by: caller)
        try await requireFree(upload.key, chosenBy: announcement)
        let (begun, ended) = try await records.begin(upload, of: announcement.pieces, as: caller, within: limits)
        // A given id can be given again, and pieces can be taken, before this request continues; then the upload has ended.
        if description.systemFields.isEmpty, begun.kind == .file { active.keep(begun) }
        for digest in ended { await forget(digest) }
        return (begun, token)
    }

    /// Creates an upload and runs a body with it, while its description counts once for both.
    ///
    /// - Parameters:
    ///   - announcement: The announced file.
    ///   - caller: The caller.
    ///   - body: Receives the upload and its token.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/overloaded`` as for ``using(_:readingParts:describing:_:)``, before the upload
    ///   exists; the errors of ``announce(_:as:)`` and of the body.
    package func announcing<Result>(
        _ announcement: UploadAnnouncement,
        as caller: Caller,
        _ body: (UploadHandle, UploadToken) async throws -> Result
    ) async throws -> Result {
        try await largeDescriptions.counting(
            announcement.description.largeMemory(with: announcement.metadataHeader),
            of: StoredUpload.Creator(caller)
        ) {
            let (_, token) = try await announce(announcement, as: caller)
            return try await using(token, describing: .alreadyCounted) { try await body($0, token) }
        }
    }

    /// The media type with which a file will be served, as far as it is known before the bytes arrive.
    package func expectedType(of description: UploadDescription) -> MediaType {
        description.mediaType ?? description.name.pathExtension.flatMap(types.type(ofExtension:)) ?? .octetStream
    }

    /// Throws ``ServiceError/Code/duplicateValue`` if another app has a chosen key: all apps share the same URL paths.
    ///
    /// This saves the client the upload. The deciding check is repeated when the file is created.
    private func requireFree(_ key: FileKey, chosenBy announcement: UploadAnnouncement) async throws {
        guard announcement.key?.isEmpty == false else { return }
        try await keyClaims.requireFree(key, besides: app)
    }

    /// Throws ``ServiceError/Code/duplicateValue`` if a file has a given id, which saves the client the upload.
    private func requireFree(_ id: ObjectID, for key: FileKey, givenBy description: UploadDescription) async throws {
        guard !description.systemFields.isEmpty, try await records.hasFile(id, besides: key) else { return }
        throw ServiceError(.duplicateValue, "A file has the objectId '\(id)'.")
    }

    /// Ends an upload with an id that the master key gives again: an import that lost the answer to its announcement
    /// knows no URL with which it could continue.
    private func endUpload(
        _ id: ObjectID,
        givenBy description: UploadDescription,
        as caller: Caller
    ) async throws {
        guard caller.isMaster, !description.systemFields.isEmpty else { return }
        if let found = try await records.find(id: id) { try await end(found.upload) }
        try await settle(id, isEnded: true)
    }

    private func end(_ upload: StoredUpload) async throws {
        let id = upload.id
        try await active.using(upload.tokenDigest) { [records] in
            try await records.find(id: id)
        } _: { active in
            guard let active else { return }
            try await active.locks.withAllLocks {
                _ = try await unlessLeased(id) { try await removeRow(of: id, breaking: $0) }
                await discardStaged(of: active)
            }
        }
    }

    /// Decides commits of an upload that failures left undecided, which the next sweep would do.
    ///
    /// Otherwise an upload with the same id would begin with the bytes of an ended one, a repeated request would find the
    /// blob of the first one in the place of its own, and the bytes of a part would go into a blob.
    ///
    /// - Parameters:
    ///   - upload: The id of the upload.
    ///   - isEnded: Whether no request continues it. Otherwise the bytes of parts are staged again if there is no file.
    /// - Throws: An error while the storage cannot tell; the commit is undecided then.
    func settle(_ upload: ObjectID, isEnded: Bool) async throws {
        for note in storage.staging.undecidedCommits(of: upload) {
            try await excludingFetches(of: note) { try await decide(note, keepingBytes: !isEnded) }
        }
    }

    /// Decides commits of bytes of one request that failures left undecided; called with a claim on the key of the file.
    ///
    /// Requests for one id commit under one name. So the blob of an earlier one would be in the place of the next one, whose
    /// refusal would end the note of both.
    ///
    /// - Parameter file: The id under which the next request commits.
    /// - Returns: Whether there was one.
    /// - Throws: As ``settle(_:isEnded:)``.
    @discardableResult
    func settleRequests(for file: ObjectID) async throws -> Bool {
        let notes = storage.staging.undecidedCommits(of: file).filter(\.isDraft)
        for note in notes { try await decide(note, keepingBytes: false) }
        return !notes.isEmpty
    }

    private func decide(_ note: CommitNote, keepingBytes isKept: Bool) async throws {
        let isCommitted = try await records.isCommitted(note.file, with: note.blob, certainly: true)
        try await storage.settle(note, isCommitted: isCommitted, keepingBytes: isKept)
    }

    private func key(for announcement: UploadAnnouncement, as caller: Caller) throws -> FileKey {
        let description = announcement.description
        if let text = announcement.key, !text.isEmpty {
            if caller.isMaster { return try FileKey(chosen: text) }
            let name = description.name
            if let key = FileKey(madeByClient: text, for: name, keepingName: description.keepsName) { return key }
        }
        return try .make(for: description.name, prefix: description.prefix, keepingName: description.keepsName)
    }
}
