/// An upload as it is stored: all properties of its file, before the file exists.
package struct StoredUpload: Sendable, Hashable {
    /// What an upload is for.
    package enum Kind: Sendable, Hashable {
        /// A file.
        case file
        /// A piece of an upload to come (tus concatenation).
        case partial
        /// A file made of others: their paths as the client gave them.
        case final(String)
    }

    /// Its objectId, and that of the file.
    package let id: ObjectID
    /// The digest of its token.
    let tokenDigest: String
    /// The file's key.
    package let key: FileKey
    /// What the client said of the file.
    package let description: UploadDescription
    /// The caller who began it.
    let creator: Creator
    /// What it is for.
    package let kind: Kind
    /// The `Upload-Metadata` header of a tus client, unchanged, because `HEAD` returns it.
    package let metadataHeader: String?
    /// The announced number of bytes; `nil` if the client did not announce it.
    package internal(set) var size: Int64?
    /// How many bytes it counts with: the announced bytes, or the received bytes if none were announced.
    var counted: Int64 = 0
    /// Whether bytes have come.
    var isStarted = false
    /// Whether its file is there; of a partial upload, whether all of its bytes are.
    package internal(set) var isFinished = false
    /// When the file's record is dated.
    package let createdAt: Timestamp
    /// When it ends by itself.
    package internal(set) var expiresAt: Timestamp
    /// Whether it is finished by its last byte (tus), and not by a request of its own.
    var finishesOnLastByte = false
    /// What ``expiresAt`` may be at most, if it is put off by each byte that comes: uploads of guests.
    var deadline: Timestamp?
    /// The partial uploads that a final one waits for, in the order of the file; empty for all others.
    package internal(set) var pieces: [ObjectID] = []
    /// The final upload that waits for this partial one; nil if none does.
    var successor: ObjectID?

    /// The caller who began an upload, as far as it is needed to check the permission again.
    struct Creator: Sendable, Hashable {
        let isMaster: Bool
        let user: ObjectID?
        let session: ObjectID?
        /// The client's address if it was not logged in, for the share of that; nil in uploads of earlier versions.
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

        /// The group in whose share of common limits it counts.
        var group: CallerGroup { CallerGroup(isMaster: isMaster, user: user) }

        /// The caller, to be looked up again before it is believed.
        func caller(in app: AppID) -> Caller {
            var logged: Caller.User?
            if let user, let session { logged = Caller.User(id: user, session: session) }
            return Caller(app: app, isMaster: isMaster, user: logged, address: address ?? "")
        }
    }
}

extension StoredUpload {
    /// Whether it is counted as unfinished: a piece is until the file is there that it becomes a part of.
    var isOpen: Bool { !isFinished || kind == .partial }

    /// Whether it becomes a file once partial uploads are finished (tus `concatenation-unfinished`).
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
            "_master": .bool(creator.isMaster),
            "_counted": .integer(counted),
        ]
        fields["mime_type"] = description.mediaType.map { .string($0.description) }
        fields["size"] = size.map(JSONValue.integer)
        fields["_metadata"] = metadataHeader.map(JSONValue.string)
        fields["_acl"] = description.acl.map { .object($0.json) }
        fields["_user"] = creator.user.map { .string($0.description) }
        fields["_session"] = creator.session.map { .string($0.description) }
        fields["_address"] = creator.address.map(JSONValue.string)
        fields["_deadline"] = deadline.map(JSONValue.date)
        if finishesOnLastByte { fields["_tus"] = .bool(true) }
        if !pieces.isEmpty { fields["_pieces"] = .array(pieces.map { .string($0.description) }) }
        fields["_successor"] = successor.map { .string($0.description) }
        switch kind {
        case .file: break
        case .partial: fields["_concat"] = .string("partial")
        case .final(let text): fields["_concat"] = .string(text)
        }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: createdAt, fields: fields)
    }

    /// Takes back what ``object`` made; `nil` for what only another program can have written.
    init?(stored object: StoredObject) {
        let fields = object.fields
        guard let key = fields["key"]?.stringValue.flatMap(FileKey.init), let token = fields["_token"]?.stringValue,
            let name = try? FileName(fields["name"]?.stringValue ?? "", limit: .max),
            let expiresAt = fields["expiresAt"]?.dateValue
        else { return nil }
        id = object.id
        tokenDigest = token
        self.key = key
        description = UploadDescription(
            name: name,
            mediaType: fields["mime_type"]?.stringValue.flatMap(MediaType.init),
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
        self.expiresAt = expiresAt
        finishesOnLastByte = fields["_tus"] == .bool(true)
        deadline = fields["_deadline"]?.dateValue
        pieces = (fields["_pieces"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { ObjectID($0) } }
        successor = fields["_successor"]?.stringValue.flatMap { ObjectID($0) }
    }

    /// When an upload of a guest expires after bytes came.
    ///
    /// - Parameters:
    ///   - now: When they came.
    ///   - idle: Seconds after which it expires without more bytes.
    /// - Returns: nil if the upload is not a guest's, or if the change is below a sixteenth of `idle` and not worth a
    ///   write.
    func expiry(after now: Timestamp, idle: Int) -> Timestamp? {
        guard let deadline else { return nil }
        let later = min(deadline, now.adding(seconds: idle))
        return later.milliseconds - expiresAt.milliseconds > Int64(idle) * 1000 / 16 ? later : nil
    }
}
