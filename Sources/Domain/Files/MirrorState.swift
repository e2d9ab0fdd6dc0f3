/// The part that the mirror has in a file (docs/mirror.md).
package enum MirrorState: String, Sendable, CaseIterable {
    /// An import created the record; the bytes are still on the origin only.
    case missing
    /// An import created the record, and the mirror fetched the bytes.
    case filled
    /// The mirror created the record when it fetched the bytes of an unknown key; an import can take its place.
    case created
}

extension StoredObject {
    /// The part that the mirror has in the file of the record; `nil` if it has none.
    var mirrorState: MirrorState? { fields[MirrorField.name]?.stringValue.flatMap(MirrorState.init) }

    /// The file of the mirror whose bytes the file of the record took over; `nil` for most.
    var replacedFile: ObjectID? { fields[MirrorField.replaced]?.stringValue.flatMap(ObjectID.init) }

    /// The record of a missing file with the bytes that the mirror fetched.
    ///
    /// The record's own fields stay, because the master key can have changed them during the fetch.
    func filled(by record: FileRecord) -> StoredObject {
        var filled = self
        for (name, value) in record.object.fields where name.hasPrefix("_") { filled.fields[name] = value }
        filled.fields[MirrorField.name] = .string(MirrorState.filled.rawValue)
        filled.fields["mime_type"] = filled.fields["mime_type"] ?? record.object.fields["mime_type"]
        var metaData = fields["metaData"]?.objectValue ?? [:]
        for name in ["size", "_checksum"] { metaData[name] = record.metaData[name] ?? metaData[name] }
        filled.fields["metaData"] = .object(metaData)
        return filled
    }
}

/// A record whose bytes are still on the origin of the mirror.
package struct MissingFile: Sendable, Hashable {
    /// The objectId.
    package let id: ObjectID
    /// The name, which an import gave.
    package let name: FileName
    /// The media type that the import gave; `nil` if it gave none.
    package let mediaType: MediaType?
    /// The time of creation.
    package let createdAt: Timestamp
    private let metaData: [String: JSONValue]

    /// Reads a record; `nil` for a file with bytes.
    init?(_ object: StoredObject) {
        guard object.mirrorState == .missing,
            let name = try? FileName(object.fields["name"]?.stringValue ?? "", limit: .max, allowsSlashes: true)
        else { return nil }
        id = object.id
        self.name = name
        mediaType = object.fields["mime_type"]?.stringValue.flatMap { MediaType($0, keepingCharset: true) }
        createdAt = object.createdAt
        metaData = object.fields["metaData"]?.objectValue ?? [:]
    }

    /// The size in bytes that the import gave; `nil` if it gave none.
    package var size: Int64? { metaData["size"]?.integerValue.flatMap { $0 >= 0 ? $0 : nil } }

    /// The MD5 that the import gave, as 32 lower-case hexadecimal digits; `nil` if it gave none.
    package var md5: String? {
        metaData["_checksum"]?.stringValue.flatMap { text in
            text.utf8.count == 32 && [UInt8](hexadecimal: text) != nil ? text.lowercased() : nil
        }
    }

    /// Throws ``ServiceError/Code/checksumMismatch`` unless bytes have the size and the MD5 that the import gave.
    ///
    /// Without an MD5 of the bytes, which takes long for large ones, only the size is compared.
    package func verify(_ facts: BlobFacts) throws {
        if let size, size != facts.size {
            throw ServiceError(
                .checksumMismatch,
                "The file has \(facts.size) bytes instead of \(size) (metaData.size)."
            )
        }
        if let md5, let actual = facts.md5, md5 != actual {
            throw ServiceError(.checksumMismatch, "The MD5 of the file is not metaData._checksum.")
        }
    }
}

extension ReadTransaction {
    /// The record with a key, in any state; `nil` if there is none.
    func record(with key: FileKey) throws -> StoredObject? {
        try find(ObjectQuery(.file, where: FileRecords.has(key), page: .first)).first
    }

    /// Whether a caller can create a file with a key and an id: no file has the key, except one whose place an import
    /// takes.
    func isFree(_ key: FileKey, for id: ObjectID, by caller: Caller) throws -> Bool {
        guard let record = try record(with: key) else { return true }
        guard caller.isMaster else { return false }
        return record.mirrorState == .created || record.mirrorState == .missing && record.id == id
    }

    /// Whether a file with the key was deleted while the app had a mirror, so that the mirror must not fetch it again.
    func isGone(_ key: FileKey) throws -> Bool {
        try count(FileRecords.has(key), in: .goneKey) > 0
    }
}

extension WriteTransaction {
    /// Records that the files of keys are deleted for the mirror, too.
    func markGone(_ keys: [FileKey], at now: Timestamp, ids: ObjectIDGenerator) throws {
        for key in keys where try !isGone(key) {
            let fields: [String: JSONValue] = ["key": .string(key.description)]
            try insert(StoredObject(id: ids.next(), createdAt: now, updatedAt: now, fields: fields), into: .goneKey)
        }
    }

    /// Deletes the record that the mirror created for a key, whose bytes the record of an import takes over, and
    /// subtracts them from the app's usage.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if the record was changed or deleted meanwhile.
    func removeCreated(_ file: FileRecord, from usage: inout Usage) throws {
        guard try object(file.id, in: .file)?.mirrorState == .created else {
            throw ServiceError(.overloaded, "The file with the key was changed meanwhile; try again.")
        }
        _ = try delete(file.id, in: .file)
        usage = usage - .file(file.facts.size)
    }
}
