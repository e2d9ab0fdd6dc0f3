/// File records that are created and changed without bytes: the steps of every class, with the fields that
/// ``FileFields`` allows.
extension ObjectWriteRules {
    /// Creates the record of a file on another server.
    func createFile(_ change: ObjectChange, returnsObject: Bool) throws -> ObjectReply {
        let schema = try writer.schema(of: .file) ?? .files
        try access.require(.create, in: schema)
        let values = change.values
        if access.caller.isMaster, values["url"] ?? .null == .null, let key = values["key"]?.stringValue {
            return try createMissing(try FileKey(chosen: key), change, in: schema, returnsObject: returnsObject)
        }
        let fields = try fileFields.external(values, owner: access.caller.user?.id)
        // Members that SDKs send with a file and that mean nothing are ignored (protocol/files 2.1).
        let given = access.caller.isMaster ? change.systemFields : [:]
        let system = try SystemFields(given, by: access.caller, ids: settings.ids, clock: settings.clock)
        let acl = change.acl ?? schema.defaultACL?.owned(by: access.caller.user?.id)
        let object = StoredObject(
            id: system.id,
            createdAt: system.createdAt,
            updatedAt: system.updatedAt,
            acl: acl?.storable,
            fields: fields
        )
        try settings.limits.requireSize(of: object, by: access.caller)
        try writer.insert(try writer.queuedForCheck(object, at: settings.clock()), into: .file)
        var reply = ObjectReply(created: object, in: .file, fields.filter { $0.key != "metaData" })
        if returnsObject {
            reply.content = .object(try readRules.presenter.object(ObjectRow(object), in: schema, view: .plain))
        }
        return reply
    }

    /// Creates the record of a file whose bytes are on the origin of the mirror; if the mirror has fetched them before,
    /// the record takes the place of the mirror's own.
    private func createMissing(
        _ key: FileKey,
        _ change: ObjectChange,
        in schema: ClassSchema,
        returnsObject: Bool
    ) throws -> ObjectReply {
        guard settings.hasMirror else {
            throw ServiceError(
                .badRequest,
                "A file with a key and without a url needs its bytes: upload it, or set mirror.origin of the app."
            )
        }
        guard try writer.pendingDeletions(.first, where: PendingDeletion.has(key)).isEmpty else {
            throw ServiceError(.overloaded, "The bytes of a deleted file with the key are being removed; try again.")
        }
        let system = try SystemFields(
            change.systemFields,
            by: access.caller,
            ids: settings.ids,
            clock: settings.clock
        )
        let acl = change.acl ?? schema.defaultACL?.owned(by: nil)
        var object = StoredObject(
            id: system.id,
            createdAt: system.createdAt,
            updatedAt: system.updatedAt,
            acl: acl?.storable,
            fields: try fileFields.missing(change.values, key: key)
        )
        if let known = try writer.record(with: key), known.mirrorState == .created {
            let file = try FileRecord(stored: known)
            try MissingFile(object)?.verify(file.facts)
            object = object.filled(by: file)
            object.fields[MirrorField.replaced] = .string(file.id.description)
            object = try writer.queuedForCheck(object, at: settings.clock())
            _ = try writer.delete(known.id, in: .file)
        }
        try settings.limits.requireSize(of: object, by: access.caller)
        try writer.insert(object, into: .file)
        var reply = ObjectReply(
            created: object,
            in: .file,
            ["key": .string(key.description), "url": .string(settings.files.url(of: key, acl: object.acl))]
        )
        if returnsObject {
            reply.content = .object(try readRules.presenter.object(ObjectRow(object), in: schema, view: .plain))
        }
        return reply
    }

    /// Changes the writable fields of a file, for the master key only.
    func updateFile(
        _ id: ObjectID,
        _ change: ObjectChange,
        where condition: Condition?,
        returnsObject: Bool
    ) throws -> ObjectReply {
        try FileFields.requireChangeable(change.fields, by: access.caller)
        let values = change.values
        for field in change.fields where values[field] ?? .null == .null {
            throw ServiceError(.badRequest, "\(field) of a file is replaced as a whole, by a value.")
        }
        let (schema, row) = try existing(id, in: .file)
        try require(condition, of: id, in: schema)
        let before = try row.object()
        var object = before
        object.fields = try fileFields.changed(before.fields, by: values)
        if let acl = change.acl { object.acl = acl.storable }
        object.updatedAt = try updateTime(of: before, by: change)
        try settings.limits.requireSize(of: object, instead: row.size, by: access.caller)
        try writer.update(object, in: .file, from: before)
        guard returnsObject else { return ObjectReply(updated: object) }
        return ObjectReply(try readRules.presenter.object(ObjectRow(object), in: schema, view: .plain))
    }

    private var fileFields: FileFields {
        let isMaster = access.caller.isMaster
        return FileFields(
            nameLength: isMaster ? max(settings.nameLength, settings.masterNameLength) : settings.nameLength,
            isByMaster: isMaster
        )
    }
}

extension ObjectChange {
    /// Parses the body that creates a file's record.
    package init(file json: JSONValue) throws {
        guard let members = json.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        let accepted = FileFields.accepted.union(SystemFields.names)
        try self.init(.object(members.filter { accepted.contains($0.key) }), allowsPaths: false)
        let values = values
        for field in fields where values[field] == nil {
            throw ServiceError(.badRequest, "\(field) of a new file must be a value, not an operation.")
        }
    }
}

extension ObjectService {
    /// The location of a file's bytes, for a caller who is allowed to read its record.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` if the record does not exist or has no location;
    ///   ``ServiceError/Code/forbidden`` if the caller is not allowed to read it; ``ServiceError/Code/blocked`` for a
    ///   file on another server that censorship does not let be served.
    package func location(ofFile id: ObjectID, as caller: Caller) async throws -> FileLocation {
        let record = try await store.read { [settings] reader in
            try ObjectReadRules(reader: reader, caller: caller, settings: settings).row(id, in: .file)?.row.object()
        }
        guard let record, let location = FileLocation(of: record) else {
            throw ServiceError(.objectNotFound, "File not found.")
        }
        if case .elsewhere = location { try settings.files.policy.requireOpen(record.verdict) }
        return location
    }
}
