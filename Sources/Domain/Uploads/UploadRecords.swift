/// Uploads and their parts as objects of the classes `_Upload` and `_UploadPart`.
struct UploadRecords: Sendable {
    let store: any ObjectStore
    /// Whether requests for one upload run on several servers.
    let isShared: Bool
    private let ids: ObjectIDGenerator
    let clock: @Sendable () -> Timestamp

    init(
        _ store: any ObjectStore,
        isShared: Bool,
        ids: ObjectIDGenerator,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.isShared = isShared
        self.ids = ids
        self.clock = clock
    }

    /// The id of a new row.
    func newID() -> ObjectID { ids.next() }

    /// An upload with its parts, or with those that were read.
    struct Found: Sendable {
        let upload: StoredUpload
        let parts: [StoredPart]
    }

    /// Which rows of parts a request reads: an upload can have 10 000.
    enum PartSelection: Sendable {
        case none
        case number(Int)
        case all
    }

    /// Adds an upload, if the caller is allowed to create files and the limits allow one more.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - pieces: The partial uploads of a final one, in order. While one of them is unfinished, the final upload
    ///     waits for them; a partial upload belongs to the final one that named it last.
    ///   - caller: The caller.
    ///   - limits: The limits of the number of uploads and of bytes.
    /// - Returns: The upload as stored, and the digests of tokens whose uploads this one replaces.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/quotaExceeded``,
    ///   ``ServiceError/Code/tooManyUploads``, ``ServiceError/Code/duplicateValue`` if the key is taken,
    ///   ``ServiceError/Code/badRequest`` if a piece does not exist, ``ServiceError/Code/payloadTooLarge``.
    func begin(
        _ upload: StoredUpload,
        of pieces: [ObjectID] = [],
        as caller: Caller,
        within limits: UploadLimits
    ) async throws -> (upload: StoredUpload, ended: [String]) {
        try await store.write { [clock] writer in
            let schema = try writer.schema(of: .file) ?? .files
            try ObjectAccess(caller: caller).require(.create, in: schema)
            writer.caller = caller
            var upload = upload
            var ended: [String] = []
            if try writer.requirePieces(pieces, within: limits) == .unfinished {
                upload.pieces = pieces
                // Its pieces expire by themselves, and it ends with them.
                let latest = clock().adding(seconds: limits.expireAfter)
                upload.expiresAt = max(upload.expiresAt, latest)
                ended = try writer.claim(Set(pieces), for: upload.id, at: clock())
            }
            try writer.countOpened(by: upload.creator, within: limits, at: clock())
            let usage = try writer.usage() + .upload(upload.counted)
            try usage.requireWithin(limits.quota)
            let hasKey = FileRecords.has(upload.key)
            let isOpen = Condition.field(FieldPath(field: "state"), .not(.equals(.string("finished"))))
            guard try writer.isFree(upload.key, for: upload.id, by: caller),
                try writer.count(.all([hasKey, isOpen]), in: .upload) == 0
            else { throw KeyClaims.taken(upload.key) }
            try writer.insert(upload.object, into: .upload)
            try writer.save(usage, at: clock())
            return (upload, ended)
        }
    }

    /// The upload of a token, in any state.
    func find(_ token: UploadToken, reading parts: PartSelection = .all) async throws -> Found? {
        let hasToken = Condition.field(FieldPath(field: "_token"), .equals(.string(token.digest)))
        return try await store.read { reader in
            let found = try reader.find(ObjectQuery(.upload, where: hasToken, page: .first)).first
            guard let upload = found.flatMap(StoredUpload.init(stored:)) else { return nil }
            return Found(upload: upload, parts: try reader.parts(parts, of: upload.id))
        }
    }

    /// The upload with the id of a file, in any state.
    func find(id: ObjectID, reading parts: PartSelection = .all) async throws -> Found? {
        try await store.read { reader in
            guard let upload = try reader.upload(id) else { return nil }
            return Found(upload: upload, parts: try reader.parts(parts, of: id))
        }
    }

    /// The upload with the id of a file after a write of it that failed, which no later start brings back once this has
    /// returned.
    ///
    /// - Throws: An error also if the store cannot promise that.
    func certainlyFind(id: ObjectID) async throws -> StoredUpload? {
        try await store.write { try $0.upload(id) }
    }

    /// Stores the progress of a part and marks the upload as started; on return it survives a power cut.
    ///
    /// - Parameters:
    ///   - part: The part's offset and its stored bytes.
    ///   - number: The part's number.
    ///   - id: The id of the stored part; `nil` if it is not stored yet.
    ///   - unit: The size of parts.
    ///   - upload: The upload's id.
    ///   - received: The stored bytes of all parts; they count for the quota unless the client announced a size.
    ///   - limits: The quota of the app's files, and the idle time of a guest's upload.
    /// - Returns: The part's id, and the time at which the upload expires.
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if the upload has ended, ``ServiceError/Code/quotaExceeded``.
    func save(
        _ part: PartLayout.Part,
        _ number: Int,
        id: ObjectID?,
        unit: Int64,
        of upload: ObjectID,
        received: Int64,
        within limits: UploadLimits
    ) async throws -> (id: ObjectID, expiresAt: Timestamp) {
        let stored = StoredPart(id: id ?? ids.next(), upload: upload, number: number, part: part, unit: unit)
        let expiresAt = try await store.write { [clock] writer in
            var upload = try writer.openUpload(upload)
            if id == nil {
                try writer.insert(stored.object(at: clock()), into: .uploadPart)
            } else {
                try writer.update(stored.object(at: clock()), in: .uploadPart)
            }
            let expiry = upload.expiry(after: clock(), idle: limits.guestIdleTimeout)
            guard upload.size == nil || expiry != nil else { return upload.expiresAt }
            let before = upload.counted
            if upload.size == nil { upload.counted = received }
            upload.expiresAt = expiry ?? upload.expiresAt
            try writer.recount(upload, before: before, within: limits.quota, at: clock())
            return upload.expiresAt
        }
        return (stored.id, expiresAt)
    }

    /// Changes the current state of an upload.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound``, ``ServiceError/Code/quotaExceeded``, and errors of the body.
    func change(
        _ id: ObjectID,
        within quota: Int64?,
        _ edit: @escaping @Sendable (inout StoredUpload) throws -> Void
    ) async throws {
        try await store.write { [clock] writer in
            guard var upload = try writer.upload(id) else { throw UploadService.notFound }
            let before = upload.counted
            try edit(&upload)
            if let size = upload.size, !upload.isFinished { upload.counted = size }
            try writer.recount(upload, before: before, within: quota, at: clock())
        }
    }

    /// Some of the expired uploads.
    func expired(at now: Timestamp) async throws -> [StoredUpload] {
        let isOver = Condition.field(FieldPath(field: "expiresAt"), .compares(.less, .date(now)))
        let query = ObjectQuery(
            .upload,
            where: isOver,
            order: [SortKey(FieldPath(field: "expiresAt"), descending: false)],
            page: Page(first: 200)
        )
        return try await store.read { try $0.find(query).compactMap(StoredUpload.init(stored:)) }
    }

    /// Whether an upload cannot create a file with this id and key: a file has the id, and its bytes are not missing.
    func hasFile(_ id: ObjectID, besides key: FileKey) async throws -> Bool {
        try await store.read { reader in
            guard let file = try reader.object(id, in: .file) else { return false }
            return file.mirrorState != .missing || file.fileKey != key
        }
    }

    /// Whether a blob belongs to the file with this id: another file can have an id that an import gives, and the file
    /// can still be missing.
    func hasFile(_ id: ObjectID, with blob: BlobName) async throws -> Bool {
        try await store.read { try $0.hasFile(id, with: blob) }
    }

    /// The same after a write of the record that failed, which no later start brings back once this has returned.
    ///
    /// - Throws: An error also if the store cannot promise that.
    func certainlyHasFile(_ id: ObjectID, with blob: BlobName) async throws -> Bool {
        try await store.write { try $0.hasFile(id, with: blob) }
    }
}

extension ReadTransaction {
    func hasFile(_ id: ObjectID, with blob: BlobName) throws -> Bool {
        guard let file = try object(id, in: .file), file.mirrorState != .missing else { return false }
        return file.fileKey.map(BlobName.init) == blob
    }
}

extension ObjectQuery {
    static func parts(of upload: ObjectID) -> ObjectQuery {
        let belongs = Condition.field(FieldPath(field: "upload"), .equals(Pointer(.upload, upload).json))
        return ObjectQuery(.uploadPart, where: belongs, page: .all)
    }
}

extension ReadTransaction {
    fileprivate func parts(_ selection: UploadRecords.PartSelection, of upload: ObjectID) throws -> [StoredPart] {
        switch selection {
        case .none: []
        case .number(let number): try part(number, of: upload, row: nil).map { [$0] } ?? []
        case .all: try find(.parts(of: upload)).compactMap(StoredPart.init(stored:))
        }
    }

    /// The uploads whose file, or whose piece of a file, is not complete.
    func unfinishedUploads() throws -> [StoredUpload] {
        let isUnfinished = Condition.field(FieldPath(field: "state"), .not(.equals(.string("finished"))))
        return try find(ObjectQuery(.upload, where: isUnfinished, page: .all)).compactMap(StoredUpload.init(stored:))
    }

    /// Complete pieces whose file does not exist yet.
    func finishedPieces() throws -> [StoredUpload] {
        let isFinished = Condition.field(FieldPath(field: "state"), .equals(.string("finished")))
        // Reads only the field, because few of many finished uploads are pieces.
        return try texts("_concat", of: ObjectQuery(.upload, where: isFinished, page: .all))
            .filter { $0.text == "partial" }.compactMap { try upload($0.id) }
    }

    /// The upload with an id, in any state.
    func upload(_ id: ObjectID) throws -> StoredUpload? {
        try object(id, in: .upload).flatMap(StoredUpload.init(stored:))
    }

    /// The upload; throws ``ServiceError/Code/uploadNotFound`` if it has ended.
    func openUpload(_ id: ObjectID) throws -> StoredUpload {
        guard let upload = try upload(id), upload.isOpen else { throw UploadService.notFound }
        return upload
    }
}

extension WriteTransaction {
    /// Stores an upload, and its counted bytes in the app's usage if they changed.
    func recount(
        _ upload: StoredUpload,
        before: Int64,
        within quota: Int64?,
        at now: Timestamp
    ) throws {
        try update(upload.object, in: .upload)
        guard upload.counted != before else { return }
        let usage = try usage() - .upload(before) + .upload(upload.counted)
        if upload.counted > before { try usage.requireWithin(quota) }
        try save(usage, at: now)
    }
}
