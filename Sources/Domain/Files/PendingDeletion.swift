/// A row of the deletion queue: a file whose record is deleted and whose bytes are not yet removed.
///
/// It is an object of the class `_Deletion`, written in the transaction that deletes the record.
package struct PendingDeletion: Sendable, Hashable {
    /// The id of the row: the file's id, or a new one if a row with that id exists.
    package let id: ObjectID
    /// The key of the deleted file, which locates its bytes; `nil` only if another program wrote the row.
    package let key: FileKey?
}

extension PendingDeletion {
    /// Reads a row.
    init(stored object: StoredObject) {
        self.init(id: object.id, key: object.fields[PendingDeletion.keyField]?.stringValue.flatMap(FileKey.init))
    }

    fileprivate static let keyField = "key"

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

    /// Parses a record; `nil` if the file is on another server, or its bytes are missing.
    init?(_ record: StoredObject) {
        guard record.mirrorState != .missing, let key = record.fields["key"]?.stringValue.flatMap(FileKey.init) else {
            return nil
        }
        id = record.id
        self.key = key
        size = record.fields["_size"]?.integerValue ?? 0
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
            let fields: [String: JSONValue] = [PendingDeletion.keyField: .string(file.key.description)]
            try insert(StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields), into: .deletion)
        }
    }
}

extension ReadTransaction {
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
