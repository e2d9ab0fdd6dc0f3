/// An upload as stored: all properties of its file, before the file exists.
package struct StoredUpload: Sendable, Hashable {
    /// The kinds of uploads.
    package enum Kind: Sendable, Hashable {
        /// The upload of a file.
        case file
        /// The upload of a piece of a file (tus concatenation).
        case partial
        /// The concatenation of pieces to a file: their paths as the client sent them.
        case final(String)
    }

    /// The id of the upload and of its file.
    package let id: ObjectID
    /// The digest of the upload token.
    let tokenDigest: String
    /// The secret of the server that signs the contexts of blocks (``BlockContext``); in uploads of earlier versions the
    /// digest of the token.
    let contextKey: String
    /// The file's key.
    package let key: FileKey
    /// The client's description of the file; a large one lacks `metaData` and ACL while no request uses it.
    package private(set) var description: UploadDescription
    /// The caller who began the upload.
    let creator: Creator
    /// The kind of the upload.
    package let kind: Kind
    /// The `Upload-Metadata` header of a tus client, unchanged, because `HEAD` returns it; a part of the description.
    package private(set) var metadataHeader: String?
    /// The announced number of bytes; `nil` if the client did not announce it.
    package internal(set) var size: Int64?
    /// The bytes that count for the quota: the announced bytes, or the received bytes if none were announced.
    var counted: Int64 = 0
    /// Whether bytes were received.
    var isStarted = false
    /// Whether the file exists; for a partial upload, whether all of its bytes are stored.
    package internal(set) var isFinished = false
    /// The time of creation, also of the file's record.
    package let createdAt: Timestamp
    /// The time of the last change of the file's record, which an import can give.
    let updatedAt: Timestamp
    /// The time at which the upload expires.
    package internal(set) var expiresAt: Timestamp
    /// Whether the last byte finishes the upload (tus), instead of a separate request.
    var finishesOnLastByte = false
    /// The latest ``expiresAt`` of an upload of a guest, which each received byte postpones.
    var deadline: Timestamp?
    /// The partial uploads for which a final one waits, in the order of the file; empty for all others.
    package internal(set) var pieces: [ObjectID] = []
    /// The final upload that waits for this partial one; `nil` if none does.
    var successor: ObjectID?
    /// How often its bytes were read for a file that was refused for good (``UploadHandle/countRefusal(_:)``).
    var refusals = 0
    /// What several servers share; `nil` on a server that is alone.
    var sharing: SharedUploadState?

    /// The caller who began an upload, with the fields that are needed to check the permission again.
    struct Creator: Sendable, Hashable {
        let isMaster: Bool
        let user: ObjectID?
        let session: ObjectID?
        /// The client address of a guest, for the limit of that address; `nil` in uploads of earlier versions.
        let address: String?

        init(_ caller: Caller) {
            self.init(
                isMaster: caller.isMaster,
                user: caller.user?.id,
                session: caller.user?.session,
                address: caller.group == .guests ? caller.address : nil
            )
        }

        init(isMaster: Bool, user: ObjectID?, session: ObjectID?, address: String?) {
            self.isMaster = isMaster
            self.user = user
            self.session = session
            self.address = address
        }

        /// The group whose limits the upload counts against.
        var group: CallerGroup { CallerGroup(isMaster: isMaster, user: user) }

        /// The caller; look it up again before use.
        func caller(in app: AppID) -> Caller {
            var logged: Caller.User?
            if let user, let session { logged = Caller.User(id: user, session: session) }
            return Caller(app: app, isMaster: isMaster, user: logged, address: address ?? "")
        }
    }
}

extension Usage {
    /// The usage of an object of the class `_Upload`; zero for a finished upload, and for one that cannot be read.
    package init(upload object: StoredObject) {
        self.init()
        guard let upload = StoredUpload(stored: object), upload.isOpen else { return }
        self = .upload(upload.counted)
    }
}

extension StoredUpload {
    /// Whether the upload counts as unfinished; a piece does until the file of its final upload exists.
    var isOpen: Bool { !isFinished || kind == .partial }

    /// Whether the client's description has at most a number of bytes as text; in memory it takes up to forty times as many.
    func hasDescription(upTo size: Int) -> Bool { description.fits(in: size, with: metadataHeader) }

    /// The estimated memory of a large description (``UploadDescription/largeMemory(with:)``).
    var largeMemory: Int? { description.largeMemory(with: metadataHeader) }

    /// Removes what makes a description large.
    mutating func omitDescription() {
        description.metaData = [:]
        description.acl = nil
        metadataHeader = nil
    }

    /// Takes the description of the same upload, which never changes.
    mutating func takeDescription(of row: StoredUpload) {
        description = row.description
        metadataHeader = row.metadataHeader
    }

    /// Whether it waits for partial uploads to be finished (tus `concatenation-unfinished`).
    package var isWaiting: Bool { !isFinished && !pieces.isEmpty }

    /// The upload as an object; names that begin with `_` are never shown.
    var object: StoredObject {
        var fields: [String: JSONValue] = [
            "name": .string(description.name.description),
            "key": .string(key.description),
            "metaData": .object(description.metaData),
            "state": .string(isFinished ? "finished" : isStarted ? "receiving" : "waiting"),
            "expiresAt": .date(expiresAt),
            "_token": .string(tokenDigest),
            "_contextKey": .string(contextKey),
            "_master": .bool(creator.isMaster),
            "_counted": .integer(counted),
        ]
        fields["mime_type"] = description.mediaType.map { .string($0.headerValue) }
        fields["size"] = size.map(JSONValue.integer)
        fields["_metadata"] = metadataHeader.map(JSONValue.string)
        fields["_acl"] = description.acl.map { .object($0.json) }
        fields["_user"] = creator.user.map { .string($0.description) }
        fields["_session"] = creator.session.map { .string($0.description) }
        fields["_address"] = creator.address.map(JSONValue.string)
        fields["_deadline"] = deadline.map(JSONValue.date)
        if updatedAt != createdAt { fields["_updatedAt"] = .date(updatedAt) }
        if finishesOnLastByte { fields["_tus"] = .bool(true) }
        if !pieces.isEmpty { fields["_pieces"] = .array(pieces.map { .string($0.description) }) }
        fields["_shared"] = sharing?.json
        fields["_successor"] = successor.map { .string($0.description) }
        if refusals > 0 { fields["_refusals"] = .integer(Int64(refusals)) }
        switch kind {
        case .file: break
        case .partial: fields["_concat"] = .string("partial")
        case .final(let text): fields["_concat"] = .string(text)
        }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: createdAt, fields: fields)
    }

    /// Creates an upload from its ``object``; `nil` for invalid values, which only another program can have written.
    init?(stored object: StoredObject) {
        let fields = object.fields
        guard let key = fields["key"]?.stringValue.flatMap(FileKey.init), let token = fields["_token"]?.stringValue,
            let name = try? FileName(fields["name"]?.stringValue ?? "", limit: .max, allowsSlashes: true),
            let expiresAt = fields["expiresAt"]?.dateValue
        else { return nil }
        id = object.id
        tokenDigest = token
        contextKey = fields["_contextKey"]?.stringValue ?? token
        self.key = key
        description = UploadDescription(
            name: name,
            mediaType: fields["mime_type"]?.stringValue.flatMap { MediaType($0, keepingCharset: true) },
            metaData: fields["metaData"]?.objectValue ?? [:],
            acl: fields["_acl"]?.objectValue.map(AccessControlList.init(stored:))
        )
        creator = Creator(
            isMaster: fields["_master"] == .bool(true),
            user: fields["_user"]?.stringValue.flatMap { ObjectID($0) },
            session: fields["_session"]?.stringValue.flatMap { ObjectID($0) },
            address: fields["_address"]?.stringValue
        )
        switch fields["_concat"]?.stringValue {
        case nil: kind = .file
        case "partial"?: kind = .partial
        case let text?: kind = .final(text)
        }
        metadataHeader = fields["_metadata"]?.stringValue
        size = fields["size"]?.integerValue
        counted = fields["_counted"]?.integerValue ?? size ?? 0
        isStarted = fields["state"] != .string("waiting")
        isFinished = fields["state"] == .string("finished")
        createdAt = object.createdAt
        updatedAt = fields["_updatedAt"]?.dateValue ?? object.createdAt
        self.expiresAt = expiresAt
        finishesOnLastByte = fields["_tus"] == .bool(true)
        deadline = fields["_deadline"]?.dateValue
        pieces = (fields["_pieces"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { ObjectID($0) } }
        successor = fields["_successor"]?.stringValue.flatMap { ObjectID($0) }
        refusals = fields["_refusals"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
        sharing = SharedUploadState(stored: fields["_shared"])
    }

    /// The new expiry of an upload of a guest that received bytes.
    ///
    /// - Parameters:
    ///   - now: The time at which it received them.
    ///   - idle: Seconds after which it expires without more bytes.
    /// - Returns: `nil` if the upload is not a guest's, or if the change is below a sixteenth of `idle` and not worth a
    ///   write.
    func expiry(after now: Timestamp, idle: Int) -> Timestamp? {
        guard let deadline else { return nil }
        let later = min(deadline, now.adding(seconds: idle))
        return later.milliseconds - expiresAt.milliseconds > Int64(idle) * 1000 / 16 ? later : nil
    }
}
