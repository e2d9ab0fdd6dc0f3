internal import NIOCore

/// Receives bytes for one app and creates files of them (docs/uploads.md).
///
/// Bytes first, row second: a crash can leave a blob without a row, which the next start removes, but never a row
/// without its bytes.
package struct UploadService: Sendable {
    /// The limits of uploads.
    package let limits: UploadLimits
    let app: AppID
    let storage: BlobStorage
    let files: FileRecords
    let records: UploadRecords
    let types: any TypeDetector
    let sessions: SessionService
    let fetchers: Fetchers?
    let keyClaims: KeyClaims
    let deletions: FileDeletions?
    let active: ActiveUploads
    let largeDescriptions = LargeDescriptions()
    let leases: LeaseWatch
    let followedUploads = FollowedUploads()
    let progressStreamCounts = ProgressStreamCounts()
    let copyPermits = CopyPermits()
    let pieceClaims = PieceClaims()
    /// Uploads that have all their bytes and no file yet; the sweep tries them again.
    let unfinished = UnfinishedUploads()
    let requestLimits: RequestLimits
    let ids: ObjectIDGenerator
    let clock: @Sendable () -> Timestamp

    /// Creates the service with an app's stores, the fetcher, the claims and limits shared between apps, the remover of
    /// deleted files, and the number of idle uploads whose bytes stay open; tests pass their own clock and ids.
    package init(
        app: AppID,
        limits: UploadLimits,
        storage: BlobStorage,
        store: any ObjectStore,
        types: any TypeDetector,
        sessions: SessionService,
        fetchers: Fetchers? = nil,
        keyClaims: KeyClaims = KeyClaims(),
        deletions: FileDeletions? = nil,
        requestLimits: RequestLimits = RequestLimits(),
        openIdle: Int = UploadService.maxOpenIdle,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        leases: LeaseTiming = LeaseTiming(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.app = app
        self.limits = limits
        self.storage = storage
        files = FileRecords(store)
        // A folder of staged bytes is locked by one server, also if its objects are in PostgreSQL.
        let isShared = store.isShared && storage.staging.isShared
        records = UploadRecords(store, isShared: isShared, ids: ids, clock: clock)
        self.types = types
        self.sessions = sessions
        self.fetchers = fetchers
        self.keyClaims = keyClaims
        self.deletions = deletions
        self.requestLimits = requestLimits
        keyClaims.add(app, files)
        self.ids = ids
        self.clock = clock
        active = ActiveUploads(isShared: isShared, openCount: openIdle)
        self.leases = LeaseWatch(leases)
        if isShared { followedUploads.follow(store.changes) }
    }

    /// The maximum number of uploads that no request uses and whose bytes stay open, with one descriptor each.
    package static let maxOpenIdle = 16

    /// Whether requests for one upload run on several servers.
    var isShared: Bool { records.isShared }

    /// Begins an upload that lasts one request (``receive(as:checking:_:)``).
    ///
    /// - Parameters:
    ///   - announced: The announced number of bytes; `nil` if the client announced none.
    ///   - caller: The caller.
    /// - Returns: The staged upload, which receives the bytes.
    /// - Throws: ``ServiceError/Code/forbidden``, and ``ServiceError/Code/payloadTooLarge`` or
    ///   ``ServiceError/Code/quotaExceeded`` if the announced size is over a limit; all before a byte is read.
    func begin(announced: Int64?, as caller: Caller) async throws -> StagedUpload {
        try await files.requireCreating(as: caller)
        try limits.requireSize(announced ?? 0)
        try await files.requireQuota(for: announced ?? 0, within: limits.quota)
        return try await stage(announced: announced)
    }

    func stage(announced: Int64?, digesting digests: Set<DigestKind> = []) async throws -> StagedUpload {
        let blob = try await storage.staging.stage()
        if let announced {
            do {
                try await blob.requireFreeSpace(for: announced)
            } catch {
                await blob.discard()
                throw error
            }
        }
        return StagedUpload(blob: blob, limit: limits.fileSize, digesting: digests)
    }

    /// Creates the files of finished uploads: all of them or none.
    ///
    /// On return bytes, folders and rows survive a power cut. On failure no upload leaves bytes or rows.
    ///
    /// - Parameters:
    ///   - uploads: The uploads with the client's descriptions.
    ///   - digests: The digests that the client announced; for a single upload only.
    ///   - caller: The caller.
    /// - Returns: The records, in order.
    /// - Throws: What a rule refuses.
    func commit(
        _ uploads: [(upload: StagedUpload, description: UploadDescription)],
        checking digests: [DigestKind: [UInt8]] = [:],
        as caller: Caller
    ) async throws -> [FileRecord] {
        var committed: [(blob: any StagedBlob, record: FileRecord)] = []
        do {
            // The session of the caller can have ended during the upload.
            let caller = try await sessions.revalidated(caller)
            var records: [FileRecord] = []
            for (upload, description) in uploads {
                let facts = try await upload.finish(
                    needsMD5: description.announcesMD5 || digests[.md5] != nil
                )
                try verify(digests, facts.blob)
                let system = try description.systemFields(for: caller, ids: ids, clock: clock)
                records.append(
                    try await record(
                        of: facts,
                        description,
                        system,
                        key: .make(
                            for: description.name,
                            prefix: description.prefix,
                            keepingName: description.keepsName
                        ),
                        as: caller
                    )
                )
            }
            for ((upload, _), record) in zip(uploads, records) {
                try await storage.commit(upload.blob, record.facts, as: record.key, of: record.id)
                committed.append((upload.blob, record))
            }
            for (blob, _) in committed { try blob.requireOwnCommit() }
            try await files.insert(records, as: caller, within: limits.quota)
            await discard(uploads.map(\.upload))
            return records
        } catch {
            // A client that disconnects now must not prevent the bytes from being removed.
            await shieldedFromCancellation { [committed] in
                for (blob, record) in committed { _ = try? await revert(blob, record) }
                await discard(uploads.map(\.upload))
            }
            throw error
        }
    }

    /// Runs a body that creates the file of a key with a claim on the key, after the bytes of a deleted file are
    /// removed.
    ///
    /// Needed for keys that were known before the file is created. A key that the server generates in the same request
    /// has 190 random bits, so no file had it before.
    ///
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another app has a file under the key; the error because of
    ///   which the bytes of a deleted file remain; errors of the body.
    func claiming<Result>(_ key: FileKey, _ body: () async throws -> Result) async throws -> Result {
        try await keyClaims.claiming(key, for: app) {
            guard let deletions else { return try await body() }
            return try await deletions.claiming(key, body)
        }
    }

    /// The same with a read that runs under the claim, before the bytes of a deleted file are removed: one switch to a
    /// thread of the database instead of two.
    func claiming<Known: Sendable, Result>(
        _ key: FileKey,
        reading read: @escaping @Sendable (any ReadTransaction) throws -> Known,
        _ body: (Known) async throws -> Result
    ) async throws -> Result {
        try await keyClaims.claiming(key, for: app) {
            guard let deletions else { return try await body(try await files.store.read(read)) }
            return try await deletions.claiming(key, reading: read, body)
        }
    }

    /// Reverts a commit, unless its record was stored after all.
    ///
    /// `put` is the id under which the blob was put, if that is not the file's.
    ///
    /// - Returns: Whether its record was stored.
    /// - Throws: An error if that is unknown: then everything stays as it is, and the next sweep or start decides.
    @discardableResult
    func revert(_ blob: any StagedBlob, _ record: FileRecord, put: ObjectID? = nil) async throws -> Bool {
        let put = put ?? record.id
        do {
            if try await records.isCommitted(put, with: BlobName(record.key), certainly: true) { return true }
        } catch {
            blob.keepNote()
            throw error
        }
        await storage.revert(blob, as: record.key, of: put)
        return false
    }

    /// Removes the staged bytes of uploads; files that were made of them stay.
    func discard(_ uploads: [StagedUpload]) async {
        for upload in uploads { await upload.blob.discard() }
    }

    /// The media type detected from the first bytes.
    ///
    /// If a file's type is known and every type is allowed, the detected type decides only whether the file is checked as
    /// an image. Types of other files are not detected then, because libmagic needs milliseconds for text.
    func detectedType(of head: ByteBuffer, known: MediaType?) async throws -> MediaType? {
        known == nil || limits.types != .any ? try await types.type(of: head) : try await types.imageType(of: head)
    }

    /// The record of a file with all its bytes, for the caller who creates it; throws if its type is not allowed.
    func record(
        of staged: StagedFacts,
        _ description: UploadDescription,
        _ system: SystemFields,
        key: FileKey,
        as caller: Caller
    ) async throws -> FileRecord {
        try description.verify(staged.blob)
        let known = description.mediaType ?? description.name.pathExtension.flatMap(types.type(ofExtension:))
        let detected = try await detectedType(of: staged.head, known: known)
        let served = known ?? detected ?? .octetStream
        guard limits.types.allows(served: served, detected: detected) else {
            throw UploadService.refusal(of: limits.types.allows(served) ? detected ?? .octetStream : served)
        }
        let record = FileRecord(
            id: system.id,
            key: key,
            name: description.name,
            mediaType: served,
            detectedType: detected,
            facts: staged.blob,
            metaData: FileMetadata.uploaded(
                description.metaData,
                staged.blob,
                from: description.source,
                owner: caller.user?.id
            ),
            acl: description.acl,
            createdAt: system.createdAt,
            updatedAt: system.updatedAt
        )
        try limits.record.requireSize(of: record.object, by: caller)
        return record
    }

    func verify(size: Int64, _ facts: BlobFacts) throws {
        guard facts.size == size else {
            throw ServiceError(
                .badRequest,
                "The announced size is \(size) bytes, but \(facts.size) were received."
            )
        }
    }

    func verify(_ digests: [DigestKind: [UInt8]], _ facts: BlobFacts) throws {
        guard let md5 = digests[.md5], md5.hexadecimal != facts.md5 else { return }
        throw ServiceError(.checksumMismatch, "Content-MD5 is not the MD5 of the bytes received.")
    }

    static func refusal(of type: MediaType) -> ServiceError {
        ServiceError(.forbidden, "Files like this one (\(type)) may not be uploaded (uploads.allowedTypes).")
    }

    /// The error for a token without an upload.
    package static let notFound = ServiceError(
        .uploadNotFound,
        "There is no such upload: the token is wrong, or the upload has ended or expired."
    )
}
