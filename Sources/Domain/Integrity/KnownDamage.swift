/// A blob or a row that is known to be damaged, as a row of the class `_Damage`.
///
/// It survives restarts, and is reported until the subject is whole again or deleted.
package struct KnownDamage: Sendable, Equatable {
    /// What is damaged.
    package enum Kind: String, Sendable, CaseIterable {
        /// The bytes of a file.
        case blob
        /// The stored form of an object.
        case row
    }

    /// The id of the row.
    let id: ObjectID
    /// What is damaged.
    package let kind: Kind
    /// The name of what is damaged: `blob/<file>` or `row/<class>/<number>`; unique.
    package let subject: String
    /// The file of a blob; `nil` for a row.
    package let file: ObjectID?
    /// The id of a damaged file record, as far as it can be read; `nil` for a blob and for the rows of other classes.
    let record: String?
    /// What is wrong; continues "the blob …" or "the row …".
    package let detail: String
    /// The blob's ``BlobInspection/identity(of:)`` when it was read; `nil` if it was missing.
    let identity: String?
    /// Where the page of rows began in which the row was found; `nil` for the first page, and for a blob.
    let position: RowPosition?
    /// When the damage was found.
    package let since: Timestamp

    init(_ file: FileEntry, _ detail: String, identity: String?, id: ObjectID, at now: Timestamp) {
        self.id = id
        kind = .blob
        subject = KnownDamage.subject(of: file.id)
        self.file = file.id
        record = nil
        self.detail = detail
        self.identity = identity
        position = nil
        since = now
    }

    init(_ row: DamagedRow, behind position: RowPosition?, id: ObjectID, at now: Timestamp) {
        self.id = id
        kind = .row
        subject = KnownDamage.subject(of: row)
        file = nil
        record = row.className == ClassName.file.description ? row.id : nil
        detail = row.damage
        identity = nil
        self.position = position
        since = now
    }

    /// Reads a row; `nil` for one that another program wrote.
    package init?(stored object: StoredObject) {
        guard let kind = object.fields["kind"]?.stringValue.flatMap(Kind.init),
            let subject = object.fields["subject"]?.stringValue
        else { return nil }
        self.id = object.id
        self.kind = kind
        self.subject = subject
        let id = object.fields["file"]?.stringValue
        file = kind == .blob ? id.flatMap { ObjectID($0) } : nil
        record = kind == .row ? id : nil
        detail = object.fields["detail"]?.stringValue ?? "is damaged"
        identity = object.fields["identity"]?.stringValue
        position = object.fields["position"]?.stringValue.flatMap { RowPosition(text: $0) }
        since = object.createdAt
    }

    /// The row.
    var object: StoredObject {
        var fields: [String: JSONValue] = [
            "kind": .string(kind.rawValue), "subject": .string(subject), "detail": .string(detail),
        ]
        fields["file"] = (file?.description ?? record).map { .string($0) }
        fields["identity"] = identity.map { .string($0) }
        fields["position"] = position.map { .string($0.text) }
        return StoredObject(id: id, createdAt: since, updatedAt: since, fields: fields)
    }

    static func subject(of file: ObjectID) -> String { "\(Kind.blob.rawValue)/\(file)" }

    static func subject(of row: DamagedRow) -> String { "\(Kind.row.rawValue)/\(row.className)/\(row.number)" }
}

extension RowPosition {
    /// The position as a string: `<class>/<row>`.
    var text: String { "\(classNumber)/\(rowNumber)" }

    /// Parses ``text``.
    init?(text: String) {
        let parts = text.split(separator: "/").compactMap { Int64($0) }
        guard parts.count == 2 else { return nil }
        self.init(classNumber: parts[0], rowNumber: parts[1])
    }
}

extension ReadTransaction {
    /// Known damage in the order of the rows' ids, behind a row.
    func knownDamage(after id: ObjectID?, limit: Int) throws -> [StoredObject] {
        let path = FieldPath(field: "objectId")
        let condition = id.map { Condition.field(path, .compares(.greater, .string($0.description))) } ?? .always
        return try find(ObjectQuery(.damage, where: condition, order: [SortKey(path)], page: Page(first: limit)))
    }

    /// The number of damaged things of a kind.
    func countDamage(_ kind: KnownDamage.Kind) throws -> Int {
        try count(.field(FieldPath(field: "kind"), .equals(.string(kind.rawValue))), in: .damage)
    }

    /// The ids of the file records that are known to be damaged, up to a thousand: they cannot be read.
    func damagedRecords() throws -> [String] {
        let condition = Condition.all([
            .field(FieldPath(field: "kind"), .equals(.string(KnownDamage.Kind.row.rawValue))),
            .field(FieldPath(field: "file"), .exists(true)),
        ])
        let found = try find(ObjectQuery(.damage, where: condition, page: Page(first: 1000)))
        return found.compactMap { KnownDamage(stored: $0)?.record }
    }

    fileprivate func damage(of subject: String) throws -> StoredObject? {
        let condition = Condition.field(FieldPath(field: "subject"), .equals(.string(subject)))
        return try find(ObjectQuery(.damage, where: condition, page: .first)).first
    }
}

extension WriteTransaction {
    /// Records that a blob is damaged: from the commit on, the file's bytes are not served.
    ///
    /// - Returns: Whether this was not known before; also `false` if the file does not exist any more.
    func note(_ damage: KnownDamage, of file: FileEntry) throws -> Bool {
        guard var record = try object(file.id, in: .file), record.fileKey == file.key else { return false }
        let before = record
        if !record.isDamaged {
            record.fields[DamageField.name] = .bool(true)
            try update(record, in: .file, from: before)
        }
        return try note(damage)
    }

    /// Records damage; returns whether it was not known before.
    func note(_ damage: KnownDamage) throws -> Bool {
        guard var known = try self.damage(of: damage.subject) else {
            try insert(damage.object, into: .damage)
            return true
        }
        let fields = damage.object.fields
        if known.fields != fields {
            known.fields = fields
            known.updatedAt = damage.since
            try update(known, in: .damage)
        }
        return false
    }

    /// Removes the record of damage of a file, whose bytes are served from the commit on; returns whether there was one.
    func clearDamage(of file: ObjectID) throws -> Bool {
        let row = try damage(of: KnownDamage.subject(of: file))
        if let row { _ = try delete(row.id, in: .damage) }
        guard var record = try object(file, in: .file), record.isDamaged else { return row != nil }
        let before = record
        record.fields[DamageField.name] = nil
        try update(record, in: .file, from: before)
        return true
    }
}
