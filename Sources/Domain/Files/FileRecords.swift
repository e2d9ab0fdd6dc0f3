/// File records as objects of the class `_File`.
package struct FileRecords: Sendable {
    let store: any ObjectStore

    /// Creates the access to the records of an app's store.
    package init(_ store: any ObjectStore) {
        self.store = store
    }

    /// The changes of the app's objects, including file records.
    package var changes: ChangeFeed { store.changes }

    /// Throws ``ServiceError/Code/forbidden`` unless the caller is allowed to create files.
    package func requireCreating(as caller: Caller) async throws {
        guard let schema = try await store.lookUp({ try $0.schema(of: .file) }) else { return }
        try ObjectAccess(caller: caller).require(.create, in: schema)
    }

    /// Adds all records or none; on return they survive a power cut.
    ///
    /// - Parameters:
    ///   - records: The records; one without an ACL gets the class's default.
    ///   - caller: The caller who creates them.
    ///   - quota: The maximum size of all files of the app, in bytes.
    /// - Throws: ``ServiceError/Code/forbidden`` if the caller is not allowed to; ``ServiceError/Code/duplicateValue``
    ///   if an id or key is taken; ``ServiceError/Code/quotaExceeded``.
    package func insert(_ records: [FileRecord], as caller: Caller, within quota: Int64? = nil) async throws {
        try await store.write { writer in
            var usage = try writer.usage()
            for record in records {
                usage = usage + .file(record.facts.size)
                try writer.insert(record, as: caller)
            }
            try usage.requireWithin(quota)
            try writer.save(usage, at: records.first?.createdAt ?? .now())
        }
    }

    /// Throws ``ServiceError/Code/quotaExceeded`` if a further file of a size in bytes would exceed the quota.
    package func requireQuota(for size: Int64, within quota: Int64?) async throws {
        guard let quota else { return }
        try await store.read { try ($0.usage() + .file(size)).requireWithin(quota) }
    }

    /// The record with this id; `nil` if it does not exist, or its bytes are missing.
    package func file(id: ObjectID) async throws -> FileRecord? {
        try await store.read { try $0.object(id, in: .file) }.flatMap(FileRecords.record)
    }

    /// The record with this key; `nil` if it does not exist, or its bytes are missing.
    package func file(key: FileKey) async throws -> FileRecord? {
        try await store.read { try $0.record(with: key) }.flatMap(FileRecords.record)
    }

    /// The record with this key whose bytes are missing; `nil` if there is none.
    package func missing(key: FileKey) async throws -> MissingFile? {
        try await store.read { try $0.record(with: key) }.flatMap(MissingFile.init)
    }

    /// The key of a file whose bytes are missing; `nil` if it has them, or if there is no such file.
    func missingKey(of id: ObjectID) async throws -> FileKey? {
        try await store.read { try $0.object(id, in: .file) }.flatMap { $0.mirrorState == .missing ? $0.fileKey : nil }
    }

    /// Whether the mirror must not fetch a key, because its file was deleted.
    package func isGone(_ key: FileKey) async throws -> Bool {
        try await store.read { try $0.isGone(key) }
    }

    /// The condition for objects with a key.
    static func has(_ key: FileKey) -> Condition {
        .field(FieldPath(field: "key"), .equals(.string(key.description)))
    }

    /// The record in an object; `nil` if its bytes are missing.
    static func record(_ object: StoredObject) throws -> FileRecord? {
        object.mirrorState == .missing ? nil : try FileRecord(stored: object)
    }
}

extension FileRecord {
    /// The record as an object; names that begin with `_` are never shown.
    package var object: StoredObject {
        var fields: [String: JSONValue] = [
            "key": .string(key.description),
            "name": .string(name.description),
            "mime_type": .string(mediaType.headerValue),
            "metaData": .object(metaData),
            "_size": .integer(facts.size),
        ]
        if let md5 = facts.md5 { fields["_md5"] = .string(md5) }
        switch facts.digest {
        case .contentHash(let hash): fields["_hash"] = .string(hash)
        case .sha256(let digest): fields["_sha256"] = .string(digest)
        }
        if let detectedType { fields["_detected"] = .string(detectedType.description) }
        fields[MirrorField.name] = mirrorState.map { .string($0.rawValue) }
        fields[VerdictField.verdict] = verdict.map { .string($0.rawValue) }
        if isDamaged { fields[DamageField.name] = .bool(true) }
        fields[MirrorField.replaced] = replaced.map { .string($0.description) }
        return StoredObject(id: id, createdAt: createdAt, updatedAt: updatedAt, acl: acl, fields: fields)
    }

    /// Creates a record from its ``object``; throws for invalid values, which only another program can have written.
    package init(stored object: StoredObject) throws {
        let fields = object.fields
        guard let key = fields["key"]?.stringValue.flatMap(FileKey.init),
            let mediaType = fields["mime_type"]?.stringValue.flatMap({ MediaType($0, keepingCharset: true) }),
            let size = fields["_size"]?.integerValue, BlobFacts.sizes.contains(size),
            let digest = BlobDigest(hash: fields["_hash"]?.stringValue, sha256: fields["_sha256"]?.stringValue)
        else { throw ServiceError(.internalFailure, "Internal error.", cause: BrokenRecord(id: object.id)) }
        self.init(
            id: object.id,
            key: key,
            name: try FileName(fields["name"]?.stringValue ?? "", limit: .max, allowsSlashes: true),
            mediaType: mediaType,
            detectedType: fields["_detected"]?.stringValue.flatMap { MediaType($0) },
            facts: BlobFacts(size: size, digest: digest, md5: fields["_md5"]?.stringValue),
            metaData: fields["metaData"]?.objectValue ?? [:],
            acl: object.acl,
            createdAt: object.createdAt,
            updatedAt: object.updatedAt,
            mirrorState: object.mirrorState,
            verdict: object.verdict,
            isDamaged: object.isDamaged,
            replaced: object.replacedFile
        )
    }
}

extension WriteTransaction {
    /// Adds a record if the caller is allowed to create files.
    ///
    /// With the master key, it takes the place of the record of a missing file with its id and key.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if the file that the mirror fetched was deleted meanwhile.
    func insert(_ record: FileRecord, as caller: Caller) throws {
        self.caller = caller
        let schema = try schema(of: .file) ?? .files
        try ObjectAccess(caller: caller).require(.create, in: schema)
        var object = record.object
        object.acl = (object.acl ?? schema.defaultACL?.owned(by: caller.user?.id))?.storable
        let known = caller.isMaster ? try self.object(record.id, in: .file) : nil
        if let known, known.mirrorState == .missing, known.fileKey == record.key {
            object = record.mirrorState == .filled ? known.filled(by: record) : object
            return try update(try queuedForCheck(object, at: .now()), in: .file, from: known)
        }
        guard try record.mirrorState != .filled && (record.mirrorState != .created || !isGone(record.key)) else {
            throw FileService.notFound
        }
        try insert(try queuedForCheck(object, at: .now()), into: .file)
    }
}

extension StoredObject {
    /// The key of an internal file's record; `nil` for a file on another server.
    package var fileKey: FileKey? { fields["key"]?.stringValue.flatMap(FileKey.init) }
}

private struct BrokenRecord: Error {
    let id: ObjectID
}
