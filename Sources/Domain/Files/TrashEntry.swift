/// A deleted file in the trash: its whole record, and until when it can be restored.
///
/// It is an object of the class `_Trash`, written in the transaction that deletes the record. Its bytes follow through
/// the deletion queue; the row there has the entry's id.
package struct TrashEntry: Sendable, Hashable {
    /// Why a file is in the trash.
    package enum Reason: String, Sendable, CaseIterable {
        /// A caller deleted it.
        case deleted
        /// A collection found that no object refers to it.
        case collected
    }

    /// The id of the entry, which is new: the id of the file can be in the trash several times.
    package let id: ObjectID
    /// The file's record as it was.
    package let record: StoredObject
    /// The time of the deletion.
    package let deletedAt: Timestamp
    /// The time after which the file is removed for good.
    package let expiresAt: Timestamp
    /// Why the file is here.
    package let reason: Reason
    /// Who deleted it: `master`, `user:<objectId>` or `guest`.
    package let deletedBy: String

    /// Creates an entry from its parts.
    package init(
        id: ObjectID,
        record: StoredObject,
        deletedAt: Timestamp,
        expiresAt: Timestamp,
        reason: Reason,
        deletedBy: String
    ) {
        self.id = id
        self.record = record
        self.deletedAt = deletedAt
        self.expiresAt = expiresAt
        self.reason = reason
        self.deletedBy = deletedBy
    }

    /// The size of the bytes that the server has of the file; 0 for a file on another server and for a missing one.
    package var size: Int64 { StoredFile(record)?.size ?? 0 }
}

extension TrashEntry {
    /// The names of the fields that conditions use.
    enum Field {
        static let file = "file"
        static let reason = "reason"
        static let expiresAt = "expiresAt"
    }

    /// The entry as an object; names that begin with `_` are never shown.
    var object: StoredObject {
        var copy: [String: JSONValue] = [
            "createdAt": .integer(record.createdAt.milliseconds),
            "updatedAt": .integer(record.updatedAt.milliseconds),
            "fields": .object(record.fields),
        ]
        copy["acl"] = record.acl.map { .object($0.json) }
        var fields: [String: JSONValue] = [
            Field.file: .string(record.id.description),
            Field.reason: .string(reason.rawValue),
            Field.expiresAt: .date(expiresAt),
            "by": .string(deletedBy),
            "size": .integer(size),
            "_record": .object(copy),
        ]
        for name in ["key", "name"] { fields[name] = record.fields[name] }
        return StoredObject(id: id, createdAt: deletedAt, updatedAt: deletedAt, fields: fields)
    }

    /// Reads an entry; throws for invalid values, which only another program can have written.
    package init(stored object: StoredObject) throws {
        let copy = object.fields["_record"]?.objectValue
        guard let copy, let file = object.fields[Field.file]?.stringValue.flatMap(ObjectID.init),
            let createdAt = copy["createdAt"]?.integerValue, let updatedAt = copy["updatedAt"]?.integerValue,
            let fields = copy["fields"]?.objectValue, let expiresAt = object.fields[Field.expiresAt]?.dateValue
        else { throw ServiceError(.internalFailure, "Internal error.", cause: BrokenEntry(id: object.id)) }
        self.init(
            id: object.id,
            record: StoredObject(
                id: file,
                createdAt: Timestamp(milliseconds: createdAt),
                updatedAt: Timestamp(milliseconds: updatedAt),
                acl: copy["acl"]?.objectValue.map(AccessControlList.init(stored:)),
                fields: fields
            ),
            deletedAt: object.createdAt,
            expiresAt: expiresAt,
            reason: object.fields[Field.reason]?.stringValue.flatMap(Reason.init) ?? .deleted,
            deletedBy: object.fields["by"]?.stringValue ?? ""
        )
    }
}

extension Caller {
    /// The caller as the trash names it.
    var nameInTrash: String {
        if isMaster { return "master" }
        return user.map { "user:\($0.id)" } ?? "guest"
    }
}

private struct BrokenEntry: Error {
    let id: ObjectID
}
