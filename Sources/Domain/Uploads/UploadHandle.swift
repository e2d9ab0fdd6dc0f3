/// One upload, for clients with its token: the operations of the dialects.
package struct UploadHandle: Sendable {
    let active: ActiveUpload
    let service: UploadService

    /// The stored state of the upload.
    package var stored: StoredUpload { active.stored }

    /// The progress of the upload.
    package var progress: UploadProgress { active.progress }

    /// The upload's file; `nil` if the upload is not finished or the file was deleted.
    package func file() async throws -> FileRecord? {
        stored.isFinished ? try await service.files.file(id: active.id) : nil
    }

    /// Throws ``ServiceError/Code/uploadNotFound`` if the upload was cancelled or has expired.
    func requireNotEnded() throws {
        guard !active.with(\.isEnded) else { throw UploadService.notFound }
    }

    /// Throws unless the upload accepts bytes.
    func requireOpen() throws {
        try requireNotEnded()
        guard !stored.isFinished else { throw UploadHandle.isFinished }
        guard !active.with(\.isUndecided) else { throw UploadHandle.isUndecided }
    }

    /// The file of an upload that an earlier request has finished; `nil` if this one is to create it.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if the upload has ended; ``ServiceError/Code/uploadConflict`` if
    ///   its file was deleted, or if it is a partial or a final upload of tus; ``ServiceError/Code/overloaded`` if the
    ///   storage failed while it stored the file.
    func finishedFile() async throws -> FileRecord? {
        try requireNotEnded()
        if let known = try await file() { return known }
        try requireOpen()
        try requireFile()
        return nil
    }

    static let isFinished = ServiceError(.uploadConflict, "The upload is finished; its file cannot change.")

    static let isUndecided = ServiceError(
        .overloaded,
        "The storage failed while it stored the file of this upload; try again later."
    )

    static let superseded = ServiceError(.superseded, "A newer connection has taken over this upload.")

    /// Marks the upload as started, which extends its lifetime.
    func start() async throws {
        guard !stored.isStarted else { return }
        let now = service.clock()
        let end = now.adding(seconds: service.limits.expireAfter)
        let idle = now.adding(seconds: service.limits.guestIdleTimeout)
        try await service.change(active) { upload in
            upload.isStarted = true
            upload.expiresAt = max(upload.expiresAt, end)
            guard upload.creator.group == .guests else { return }
            upload.deadline = upload.expiresAt
            upload.expiresAt = min(upload.expiresAt, idle)
        }
        if let size = stored.size { try await active.blob(in: service.storage.staging).requireFreeSpace(for: size) }
    }

    /// Throws ``ServiceError/Code/uploadConflict`` for partial and final uploads of tus: they accept bytes through tus
    /// only.
    func requireFile() throws {
        guard stored.kind == .file else {
            throw ServiceError(.uploadConflict, "This upload is a partial or a final upload of tus.")
        }
    }
}

extension UploadService {
    /// Changes the row of an upload and then its state in memory.
    ///
    /// The change is applied to each separately, so that two concurrent changes do not undo each other.
    func change(_ active: ActiveUpload, _ edit: @escaping @Sendable (inout StoredUpload) throws -> Void) async throws {
        try await records.change(active.id, within: limits.quota, edit)
        try active.with { try edit(&$0.stored) }
    }

    /// Runs a body with the upload of a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - needsParts: Whether the body needs the stored parts before it receives or finishes something: for the progress,
    ///     and for tus. On a shared store their rows are not read otherwise.
    ///   - use: How the body uses the upload's description.
    ///   - body: Receives the upload.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/uploadNotFound``, ``ServiceError/Code/overloaded`` if large descriptions of others
    ///   use up the memory for them, and errors of the body.
    package func using<Result>(
        _ token: UploadToken,
        readingParts needsParts: Bool = true,
        describing use: DescriptionUse = .counted,
        _ body: (UploadHandle) async throws -> Result
    ) async throws -> Result {
        // A server that is alone keeps what it has read.
        try await active.using(token.digest) { [records, isShared] in
            try await records.find(token, reading: needsParts || !isShared ? .all : .none)
        } _: { found in
            guard let found, isAlive(found) else { throw UploadService.notFound }
            return try await describing(found, as: use) {
                try await body(UploadHandle(active: found, service: self))
            }
        }
    }

    /// Runs a body, with the description of an upload in memory if the body uses it.
    func describing<Result>(
        _ upload: ActiveUpload,
        as use: DescriptionUse,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard use != .unused, let memory = upload.with(\.largeMemory) else { return try await body() }
        return try await largeDescriptions.counting(
            use == .counted ? memory : nil,
            of: upload.stored.creator,
            sharedBy: isShared ? nil : upload.id
        ) {
            upload.with { $0.beginDescribing() }
            defer { upload.with { $0.endDescribing() } }
            if !upload.with(\.isDescribed) {
                guard let row = try await records.find(id: upload.id, reading: .none)?.upload,
                    row.tokenDigest == upload.stored.tokenDigest
                else { throw UploadService.notFound }
                upload.with { $0.describe(by: row) }
            }
            return try await body()
        }
    }

    /// Whether a token belongs to an upload of this app, in any state.
    package func knows(_ token: UploadToken) async throws -> Bool {
        try await active.using(token.digest) { [records, isShared] in
            try await records.find(token, reading: isShared ? .none : .all)
        } _: { found in
            found.map(isAlive) ?? false
        }
    }

    private func isAlive(_ upload: ActiveUpload) -> Bool {
        let isInUse = !upload.locks.areFree
        let isExpiring = upload.use.with(\.isExpiring)
        return upload.with { !$0.isEnded && ($0.stored.expiresAt > clock() || isInUse && !isExpiring) }
    }
}
