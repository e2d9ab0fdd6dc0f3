/// Rules for file records that are created and changed without bytes (protocol/files 3.1, 3.5).
extension ObjectWriteRules {
    /// Creates the record of a file on another server: it downloads nothing and checks only the form of the URL.
    func createFile(_ change: ObjectChange, returnsObject: Bool) throws -> ObjectReply {
        let schema = try writer.schema(of: .file) ?? .files
        try access.require(.create, in: schema)
        let url = try url(of: change)
        guard url != nil || change.value(of: "name")?.stringValue != nil else {
            throw ServiceError(.badRequest, "A file on another server needs a url; upload bytes to /1.1/files/<name>.")
        }
        var fields: [String: JSONValue] = [:]
        fields["name"] = .string(try name(of: change, default: url?.lastPathSegment).description)
        fields["url"] = url.map { .string($0.description) }
        fields["mime_type"] = try mediaType(of: change).map { .string($0.description) }
        var metaData = try metaData(of: change) ?? [:]
        metaData["__source"] = .string("external")
        metaData["owner"] = metaData["owner"] ?? .string(access.caller.user?.id.description ?? "unknown")
        fields["metaData"] = .object(metaData)

        let now = settings.clock()
        let acl = change.acl ?? schema.defaultACL?.owned(by: access.caller.user?.id)
        let object = StoredObject(
            id: settings.ids.next(),
            createdAt: now,
            updatedAt: now,
            acl: acl == .everyone ? nil : acl,
            fields: fields
        )
        try settings.limits.requireSize(of: object)
        try writer.insert(object, into: .file)
        var shown: [String: JSONValue] = [
            "objectId": .string(object.id.description), "createdAt": .string(now.iso8601),
        ]
        for name in ["url", "name", "mime_type"] { shown[name] = fields[name] }
        var reply = ObjectReply(shown)
        if returnsObject {
            reply.text = try readRules.presenter.text(of: ObjectRow(object), in: schema, view: .plain)
        }
        reply.created = Pointer(.file, object.id)
        return reply
    }

    /// Changes the writable fields of a file, for the master key only.
    func updateFile(
        _ id: ObjectID,
        _ change: ObjectChange,
        where condition: Condition?,
        returnsObject: Bool
    ) throws -> ObjectReply {
        guard access.caller.isMaster, change.fields.isSubset(of: ["name", "metaData"]) else {
            throw ServiceError(
                .forbidden,
                "Forbidden: files are immutable, and only the master key can change their ACL, name and metaData."
            )
        }
        for field in change.fields where change.value(of: field) ?? .null == .null {
            throw ServiceError(.badRequest, "\(field) of a file is replaced as a whole, by a value.")
        }
        let (schema, row) = try existing(id, in: .file)
        try require(condition, of: id, in: schema)
        let before = try row.object()
        var object = before
        if change.fields.contains("name") {
            object.fields["name"] = .string(try name(of: change, default: nil).description)
        }
        if change.fields.contains("metaData") {
            var metaData = try metaData(of: change) ?? [:]
            let known = object.fields["metaData"]?.objectValue ?? [:]
            // Members that the server computes from the bytes keep their values.
            for name in ["size", "_checksum", "__source", "__sourceURL"] { metaData[name] = known[name] }
            object.fields["metaData"] = .object(metaData)
        }
        if let acl = change.acl { object.acl = acl == .everyone ? nil : acl }
        object.updatedAt = max(settings.clock(), object.updatedAt)
        try settings.limits.requireSize(of: object)
        try writer.update(object, in: .file, from: before)
        guard returnsObject else {
            return ObjectReply([
                "objectId": .string(id.description), "updatedAt": .string(object.updatedAt.iso8601),
            ])
        }
        let text = try readRules.presenter.text(of: ObjectRow(object), in: schema, view: .plain)
        return ObjectReply(text: text, found: 1)
    }

    /// Subtracts the bytes of deleted files from the app's usage, and queues the removal of the bytes.
    func releaseBytes(of files: [StoredFile]) throws {
        let before = try writer.usage()
        try writer.save(files.reduce(before) { $0 - .file($1.size) }, at: settings.clock())
        try writer.queueDeletions(of: files, settings)
    }

    private func url(of change: ObjectChange) throws -> RemoteURL? {
        switch change.value(of: "url") {
        case nil, .null: return nil
        case .string(let text): return try RemoteURL(text)
        default: throw ServiceError(.badRequest, "url must be a string.")
        }
    }

    private func name(of change: ObjectChange, default other: String?) throws -> FileName {
        switch change.value(of: "name") {
        case nil, .null:
            let name = try? FileName(other ?? "", limit: settings.nameLength)
            return try name ?? FileName("file", limit: settings.nameLength)
        case .string(let text): return try FileName(text, limit: settings.nameLength)
        default: throw ServiceError(.invalidFileName, "Invalid file name: the name must be a string.")
        }
    }

    private func mediaType(of change: ObjectChange) throws -> MediaType? {
        switch change.value(of: "mime_type") {
        case nil, .null, .string(""): return nil
        case let value?:
            guard let type = value.stringValue.flatMap(MediaType.init) else {
                throw ServiceError(.badRequest, "mime_type must look like image/png.")
            }
            return type
        }
    }

    private func metaData(of change: ObjectChange) throws -> [String: JSONValue]? {
        switch change.value(of: "metaData") {
        case nil, .null: return nil
        case .object(let members): return members
        default: throw ServiceError(.malformedJSON, "metaData must be a JSON object.")
        }
    }
}

extension ObjectChange {
    /// Parses the body that creates a file's record; internal members that SDKs send are ignored (protocol/files 2.1).
    package init(file json: JSONValue) throws {
        guard let members = json.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        let known = members.filter { ["url", "name", "mime_type", "metaData", "ACL"].contains($0.key) }
        try self.init(.object(known), allowsPaths: false)
        for field in fields where value(of: field) == nil {
            throw ServiceError(.badRequest, "\(field) of a new file must be a value, not an operation.")
        }
    }
}
