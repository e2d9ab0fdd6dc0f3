/// A row of the deletion queue: bytes that are to be removed, or moved to the trash.
///
/// It is an object of the class `_Deletion`, written in the transaction that deletes the record or changes the trash.
/// What the worker does with the row of an entry of the trash depends on the entry: while it exists, the bytes move
/// from their key to the trash, and afterwards they are removed from both.
package struct PendingDeletion: Sendable, Hashable {
    /// The id of the row: that of the entry in the trash, else the file's id, or a new one if a row with that id exists.
    package let id: ObjectID
    /// The key that loses its bytes; `nil` if they have no key any more, as those of an entry that was moved.
    package let key: FileKey?
    /// Whether the row belongs to an entry of the trash, which exists or existed.
    package let isOfTrash: Bool
    /// The id of the file that had the bytes; `nil` in rows of entries of the trash that an earlier version wrote.
    package let file: ObjectID?
    /// The file of the mirror whose bytes that file took over.
    var replaced: ObjectID?
}

extension PendingDeletion {
    /// Reads a row.
    init(stored object: StoredObject) {
        let isOfTrash = object.fields[PendingDeletion.trashField] == .bool(true)
        let file = object.fields[PendingDeletion.fileField]?.stringValue.flatMap(ObjectID.init)
        self.init(
            id: object.id,
            key: object.fields[PendingDeletion.keyField]?.stringValue.flatMap(FileKey.init),
            isOfTrash: isOfTrash,
            file: file ?? (isOfTrash ? nil : object.id),
            replaced: object.replacedFile
        )
    }

    /// The blob that is to be removed or moved; `nil` if the bytes have no key any more.
    var blob: FileBlob? { key.map { FileBlob(key: $0, file: file, replaced: replaced) } }

    fileprivate static let keyField = "key"
    private static let trashField = "trash"
    /// Is written where the id of the row is not that of the file.
    fileprivate static let fileField = "_file"

    /// The row of an entry of the trash, as an object.
    ///
    /// - Parameters:
    ///   - entry: The id of the entry.
    ///   - blob: The blob that moves to the trash; `nil` if the bytes are to be removed from there.
    ///   - now: The time.
    /// - Returns: The row.
    static func trashing(_ entry: ObjectID, _ blob: FileBlob?, at now: Timestamp) -> StoredObject {
        var fields: [String: JSONValue] = [trashField: .bool(true)]
        fields[keyField] = blob.map { .string($0.key.description) }
        fields[fileField] = blob?.file.map { .string($0.description) }
        fields[MirrorField.replaced] = blob?.replaced.map { .string($0.description) }
        return StoredObject(id: entry, createdAt: now, updatedAt: now, fields: fields)
    }

    /// The condition for the rows of a key.
    static func has(_ key: FileKey) -> Condition {
        .field(FieldPath(field: keyField), .equals(.string(key.description)))
    }
}

/// The fields of an internal file that its deletion needs.
struct StoredFile {
    let id: ObjectID
    let key: FileKey
    let size: Int64
    /// Its blob.
    let blob: FileBlob

    /// Parses a record; `nil` if the file is on another server, or its bytes are missing.
    init?(_ record: StoredObject) {
        guard record.mirrorState != .missing, let key = record.fields["key"]?.stringValue.flatMap(FileKey.init) else {
            return nil
        }
        id = record.id
        self.key = key
        blob = FileBlob(key: key, file: record.id, replaced: record.replacedFile)
        let size = record.fields["_size"]?.integerValue ?? 0
        // A damaged file can be deleted, too.
        self.size = BlobFacts.sizes.contains(size) ? size : 0
    }
}

extension WriteTransaction {
    /// Subtracts the bytes of files from the app's usage, and queues their removal; called in the transaction that
    /// deletes the records.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - now: The time of the deletion.
    ///   - ids: Generates an id for a row whose file's id is taken.
    /// - Throws: Errors of the store.
    func releaseBytes(of files: [StoredFile], at now: Timestamp, ids: ObjectIDGenerator) throws {
        let before = try usage()
        try save(files.reduce(before) { $0 - .file($1.size) }, at: now)
        // A file that was imported with the id of a deleted one can be deleted before the first file's bytes are
        // removed.
        let taken = Set(try pendingDeletions(Set(files.map(\.id))).map(\.id))
        for file in files {
            let id = taken.contains(file.id) ? ids.next() : file.id
            var fields: [String: JSONValue] = [PendingDeletion.keyField: .string(file.key.description)]
            if id != file.id { fields[PendingDeletion.fileField] = .string(file.id.description) }
            fields[MirrorField.replaced] = file.blob.replaced.map { .string($0.description) }
            try insert(StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields), into: .deletion)
        }
    }
}

extension ReadTransaction {
    /// The file that has a key; `nil` if there is none.
    func fileID(of key: FileKey) throws -> ObjectID? {
        try rows(ObjectQuery(.file, where: FileRecords.has(key), page: .first)).first?.id
    }

    /// Rows of the deletion queue, in the order in which they were written.
    func pendingDeletions(_ page: Page, where condition: Condition = .always) throws -> [PendingDeletion] {
        try find(ObjectQuery(.deletion, where: condition, page: page)).map(PendingDeletion.init(stored:))
    }

    /// The rows with the given ids that still exist.
    func pendingDeletions(_ ids: Set<ObjectID>) throws -> [PendingDeletion] {
        try rows(ids, in: .deletion, readableBy: .unrestricted, upTo: .max).map {
            PendingDeletion(stored: try $0.object())
        }
    }
}
