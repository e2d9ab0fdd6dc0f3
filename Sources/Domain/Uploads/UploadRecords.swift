/// Uploads and their parts as objects of the classes `_Upload` and `_UploadPart`.
struct UploadRecords: Sendable {
    let store: any ObjectStore
    private let ids: ObjectIDGenerator
    let clock: @Sendable () -> Timestamp

    init(_ store: any ObjectStore, ids: ObjectIDGenerator, clock: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.ids = ids
        self.clock = clock
    }

    /// An upload with its parts.
    struct Found: Sendable {
        let upload: StoredUpload
        let parts: [StoredPart]
    }

    /// Adds an upload, if the caller may make files and the limits allow one more.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - pieces: The partial uploads that a final one is made of, in order. While one of them is unfinished, the
    ///     final upload waits for them; a partial upload belongs to the final one that named it last.
    ///   - caller: Who asks.
    ///   - limits: How many uploads there may be, and how many bytes.
    /// - Returns: The upload as it is stored, and the digests of tokens whose uploads this one replaces.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/quotaExceeded``,
    ///   ``ServiceError/Code/tooManyUploads``, ``ServiceError/Code/duplicateValue`` if the key is taken,
    ///   ``ServiceError/Code/badRequest`` if a piece is gone, ``ServiceError/Code/payloadTooLarge``.
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
                // Its pieces end by themselves, and it ends with them.
                let latest = clock().adding(seconds: limits.expireAfter)
                upload.expiresAt = max(upload.expiresAt, latest)
                ended = try writer.claim(Set(pieces), for: upload.id, at: clock())
            }
            try writer.countOpened(by: upload.creator, within: limits, at: clock())
            let usage = try writer.usage() + .upload(upload.counted)
            try usage.requireWithin(limits.quota)
            let hasKey = Condition.field(FieldPath(field: "key"), .equals(.string(upload.key.description)))
            let isOpen = Condition.field(FieldPath(field: "state"), .not(.equals(.string("finished"))))
            guard try writer.count(hasKey, in: .file) == 0,
                try writer.count(.all([hasKey, isOpen]), in: .upload) == 0
            else { throw KeyClaims.taken(upload.key) }
            try writer.insert(upload.object, into: .upload)
            try writer.save(usage, at: clock())
            return (upload, ended)
        }
    }

    /// The upload behind a token, whatever its state.
    func find(_ token: UploadToken) async throws -> Found? {
        try await find(.field(FieldPath(field: "_token"), .equals(.string(token.digest))))
    }

    /// The upload that a file comes from or will come from.
    func find(id: ObjectID) async throws -> Found? {
        try await find(.isObject(id))
    }

    private func find(_ condition: Condition) async throws -> Found? {
        try await store.read { reader in
            let query = ObjectQuery(.upload, where: condition, page: .first)
            guard let upload = try reader.find(query).first.flatMap(StoredUpload.init(stored:)) else { return nil }
            let parts = try reader.find(.parts(of: upload.id)).compactMap(StoredPart.init(stored:))
            return Found(upload: upload, parts: parts)
        }
    }

    /// Stores what is there of a part, and that bytes have come; on return it survives a power cut.
    ///
    /// - Parameters:
    ///   - part: Where it lies, and how much of it is there.
    ///   - number: Which it is.
    ///   - id: What it is stored as; nothing for one that is not yet.
    ///   - unit: The size that parts have.
    ///   - upload: The upload's id.
    ///   - received: How much of all parts is there; counts as long as nobody said how much there will be.
    ///   - limits: How many bytes the files of the app may have, and how long a guest's upload may be idle.
    /// - Returns: The part's id, and when the upload ends by itself.
    /// - Throws: ``ServiceError/Code/uploadNotFound`` if the upload is over, ``ServiceError/Code/quotaExceeded``.
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

    /// Changes facts of an upload as they are now, whatever changed them meanwhile.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound``, ``ServiceError/Code/quotaExceeded``, and what the body throws.
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

    /// Makes the file of an upload: its record is there, the upload is finished, the parts are gone, or none of it.
    ///
    /// - Parameters:
    ///   - upload: As it is when it is finished.
    ///   - record: The file's; nothing for a partial upload, which keeps its parts.
    ///   - spent: Partial uploads that it was made of, which end with it.
    ///   - caller: Who began it, as they are now.
    ///   - quota: How many bytes the files of the app may have.
    /// - Returns: The final upload that waits for this one, and the digests of tokens whose uploads end because this
    ///   one took their pieces.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/duplicateValue`` if the key is taken,
    ///   ``ServiceError/Code/quotaExceeded``, ``ServiceError/Code/uploadNotFound``.
    func finish(
        _ upload: StoredUpload,
        _ record: FileRecord?,
        spending spent: [ObjectID] = [],
        as caller: Caller,
        within quota: Int64?
    ) async throws -> (successor: ObjectID?, ended: [String]) {
        try await store.write { [clock] writer in
            writer.caller = caller
            var finished = upload
            let stored = try writer.openUpload(upload.id)
            finished.counted = stored.counted
            finished.successor = stored.successor
            var ended: [String] = []
            var usage = try writer.usage()
            if let record {
                usage = usage - .upload(finished.counted) + .file(record.facts.size)
                try writer.countClosed(by: upload.creator, at: clock())
                try writer.insert(record, as: caller)
            }
            try writer.removeParts(of: record == nil ? spent : spent + [upload.id])
            var seen: Set<ObjectID> = []
            for partial in spent {
                guard seen.insert(partial).inserted, let partial = try writer.upload(partial), partial.kind == .partial
                else { throw UploadService.notFound }
                usage = usage - .upload(partial.counted)
                try writer.countClosed(by: partial.creator, at: clock())
                if let other = partial.successor, other != upload.id,
                    let final = try writer.removeWaiting(other, at: clock())
                {
                    ended.append(final.tokenDigest)
                    usage = usage - .upload(final.counted)
                }
            }
            try writer.delete(spent, in: .upload)
            try usage.requireWithin(quota)
            try writer.update(finished.object, in: .upload)
            try writer.save(usage, at: clock())
            return (finished.successor, ended)
        }
    }

    /// Removes an upload and its parts, and the final upload that waits for it.
    ///
    /// - Returns: Whether it was unfinished, and the digests of tokens whose uploads end with it.
    func remove(_ id: ObjectID) async throws -> (wasOpen: Bool, ended: [String]) {
        try await store.write { [clock] writer in
            guard let upload = try writer.upload(id) else { return (false, []) }
            _ = try writer.delete(id, in: .upload)
            try writer.removeParts(of: [id])
            guard upload.isOpen else { return (false, []) }
            try writer.countClosed(by: upload.creator, at: clock())
            var usage = try writer.usage() - .upload(upload.counted)
            let final = try upload.successor.flatMap { try writer.removeWaiting($0, at: clock()) }
            if let final { usage = usage - .upload(final.counted) }
            try writer.save(usage, at: clock())
            return (true, final.map { [$0.tokenDigest] } ?? [])
        }
    }

    /// Some uploads whose time is over.
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

    /// What a server that died left of uploads that end by their last byte, besides those that their clients go on
    /// with.
    ///
    /// - Returns: Those whose bytes may all be there, and final ones that the server was about to finish in their
    ///   creation.
    func leftUnfinished() async throws -> (complete: [ObjectID], finals: [ObjectID]) {
        try await store.read { reader in
            var complete: [ObjectID] = []
            var finals: [ObjectID] = []
            for upload in try reader.unfinishedUploads() where upload.finishesOnLastByte {
                if case .final = upload.kind {
                    if upload.isWaiting { complete.append(upload.id) } else { finals.append(upload.id) }
                }
                guard upload.isStarted, let size = upload.size else { continue }
                let parts = try reader.find(.parts(of: upload.id)).compactMap(StoredPart.init(stored:))
                if parts.count == 1, parts[0].part.size == size { complete.append(upload.id) }
            }
            return (complete, finals)
        }
    }

    /// Whether there is a file with this id.
    func hasFile(_ id: ObjectID) async throws -> Bool {
        try await store.read { try $0.row(id, in: .file) != nil }
    }
}

extension ObjectQuery {
    fileprivate static func parts(of upload: ObjectID) -> ObjectQuery {
        let belongs = Condition.field(FieldPath(field: "upload"), .equals(Pointer(.upload, upload).json))
        return ObjectQuery(.uploadPart, where: belongs, page: .all)
    }

    fileprivate static func parts(of uploads: [ObjectID]) -> ObjectQuery {
        let pointers = ValueSet(uploads.map { Pointer(.upload, $0).json })
        let belongs = Condition.field(FieldPath(field: "upload"), .isIn(pointers))
        return ObjectQuery(.uploadPart, where: belongs, page: .all)
    }
}

extension ReadTransaction {
    /// Those whose file, or whose piece of one, is not there yet.
    func unfinishedUploads() throws -> [StoredUpload] {
        let isUnfinished = Condition.field(FieldPath(field: "state"), .not(.equals(.string("finished"))))
        return try find(ObjectQuery(.upload, where: isUnfinished, page: .all)).compactMap(StoredUpload.init(stored:))
    }

    /// Pieces that are all there and part of no file yet.
    func finishedPieces() throws -> [StoredUpload] {
        let isFinished = Condition.field(FieldPath(field: "state"), .equals(.string("finished")))
        // By their text, because of many finished uploads few are pieces.
        return try texts("_concat", of: ObjectQuery(.upload, where: isFinished, page: .all))
            .filter { $0.text == "partial" }.compactMap { try upload($0.id) }
    }

    /// The upload with an id, in any state.
    func upload(_ id: ObjectID) throws -> StoredUpload? {
        try object(id, in: .upload).flatMap(StoredUpload.init(stored:))
    }

    /// The upload; throws ``ServiceError/Code/uploadNotFound`` if it is over.
    fileprivate func openUpload(_ id: ObjectID) throws -> StoredUpload {
        guard let upload = try upload(id), upload.isOpen else { throw UploadService.notFound }
        return upload
    }
}

extension WriteTransaction {
    /// Stores an upload, and what it is counted with if that changed.
    fileprivate func recount(
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

    fileprivate func removeParts(of uploads: [ObjectID]) throws {
        guard !uploads.isEmpty else { return }
        try delete(try rows(.parts(of: uploads)).map(\.id), in: .uploadPart)
    }
}
