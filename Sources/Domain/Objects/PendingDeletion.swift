/// A row of the deletion queue: a file whose record is gone and whose bytes are still to be removed.
///
/// It is an object of the class `_Deletion`, written in the transaction that removes the record.
package struct PendingDeletion: Sendable, Hashable {
    /// What the row is stored as: the file's id, or another one if that id waits already.
    package let id: ObjectID
    /// The key that the file had, by which its bytes are found; nothing if only another program can have written the
    /// row.
    package let key: FileKey?
}

extension PendingDeletion {
    /// Reads a row.
    init(stored object: StoredObject) {
        self.init(id: object.id, key: object.fields[PendingDeletion.keyField]?.stringValue.flatMap(FileKey.init))
    }

    fileprivate static let keyField = "key"

    /// Holds for the rows of a key.
    static func has(_ key: FileKey) -> Condition {
        .field(FieldPath(field: keyField), .equals(.string(key.description)))
    }
}

/// A file whose bytes are stored here, as far as its deletion needs it.
struct StoredFile {
    let id: ObjectID
    let key: FileKey
    let size: Int64

    /// Reads a record; nil if the file lies elsewhere.
    init?(_ record: StoredObject) {
        guard let key = record.fields["key"]?.stringValue.flatMap(FileKey.init) else { return nil }
        id = record.id
        self.key = key
        size = record.fields["_size"]?.integerValue ?? 0
    }
}

extension WriteTransaction {
    /// Queues the removal of files' bytes; called in the transaction that removes their records.
    func queueDeletions(of files: [StoredFile], _ settings: ObjectSettings) throws {
        let now = settings.clock()
        // A file that was imported under the id of a deleted one may be deleted before the bytes of the first are gone.
        let taken = Set(try pendingDeletions(Set(files.map(\.id))).map(\.id))
        for file in files {
            let id = taken.contains(file.id) ? settings.ids.next() : file.id
            let fields: [String: JSONValue] = [PendingDeletion.keyField: .string(file.key.description)]
            try insert(StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields), into: .deletion)
        }
    }
}

extension ReadTransaction {
    /// Rows of the deletion queue, in the order they were written.
    func pendingDeletions(_ page: Page, where condition: Condition = .always) throws -> [PendingDeletion] {
        try find(ObjectQuery(.deletion, where: condition, page: page)).map(PendingDeletion.init(stored:))
    }

    /// Those of some rows of the deletion queue that are still there.
    func pendingDeletions(_ ids: Set<ObjectID>) throws -> [PendingDeletion] {
        try rows(ids, in: .deletion, readableBy: .unrestricted, upTo: .max).map {
            PendingDeletion(stored: try $0.object())
        }
    }
}
