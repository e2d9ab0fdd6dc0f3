/// An image that is blocked wherever it is uploaded again: an object of the class `_KnownImage`.
package struct KnownImage: Sendable, Hashable {
    /// The id of the entry.
    package let id: ObjectID
    /// The SHA-256 of a file's bytes, 64 lower-case hexadecimal digits.
    package var digest: String?
    /// The perceptual hash, by which changed copies are found.
    package var hash: PerceptualHash?
    /// The file that a person blocked; `nil` for an imported entry.
    package var file: ObjectID?
    /// A note of the list from which it comes.
    package var note: String?
    /// When it was added.
    package var createdAt: Timestamp

    /// Creates an entry with a digest, a hash or both.
    package init(
        id: ObjectID,
        digest: String?,
        hash: PerceptualHash?,
        file: ObjectID? = nil,
        note: String? = nil,
        at now: Timestamp
    ) {
        self.id = id
        self.digest = digest
        self.hash = hash
        self.file = file
        self.note = note
        createdAt = now
    }

    /// The maximum number of bytes of a note.
    package static let maxNote = 1000

    /// Reads an entry of a request.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the member.
    package init(_ json: JSONValue, id: ObjectID, at now: Timestamp) throws {
        let members = json.objectValue ?? [:]
        let digest = members["sha256"]?.stringValue?.lowercased()
        let hash = members["pdq"]?.stringValue.flatMap(PerceptualHash.init)
        guard digest != nil || hash != nil else {
            throw ServiceError(.badRequest, "Each of images needs sha256, pdq or both, of 64 hexadecimal digits.")
        }
        guard digest.map({ $0.utf8.count == 64 && [UInt8](hexadecimal: $0) != nil }) ?? (members["sha256"] == nil)
        else {
            throw ServiceError(.badRequest, "sha256 must be 64 hexadecimal digits.")
        }
        guard hash != nil || members["pdq"] == nil else {
            throw ServiceError(.badRequest, "pdq must be 64 hexadecimal digits.")
        }
        let note = members["note"]?.stringValue
        guard (note?.utf8.count ?? 0) <= KnownImage.maxNote, note != nil || members["note"] == nil else {
            throw ServiceError(.badRequest, "note must be a string of at most \(KnownImage.maxNote) bytes.")
        }
        self.init(id: id, digest: digest, hash: hash, note: note, at: now)
    }
}

extension KnownImage {
    /// The entry as an object; its fields are the members of the API.
    package var object: StoredObject {
        var fields: [String: JSONValue] = [:]
        fields["sha256"] = digest.map(JSONValue.string)
        fields["pdq"] = hash.map { .string($0.description) }
        fields["file"] = file.map { .string($0.description) }
        fields["note"] = note.map(JSONValue.string)
        return StoredObject(id: id, createdAt: createdAt, updatedAt: createdAt, fields: fields)
    }

    /// Reads an entry.
    package init(_ object: StoredObject) {
        self.init(
            id: object.id,
            digest: object.fields["sha256"]?.stringValue,
            hash: object.fields["pdq"]?.stringValue.flatMap(PerceptualHash.init),
            file: object.fields["file"]?.stringValue.flatMap(ObjectID.init),
            note: object.fields["note"]?.stringValue,
            at: object.createdAt
        )
    }

    /// The condition for entries with a digest.
    static func has(digest: String) -> Condition {
        .field(FieldPath(field: "sha256"), .equals(.string(digest)))
    }

    /// The condition for entries that come from a file.
    static func isOf(file: ObjectID) -> Condition {
        .field(FieldPath(field: "file"), .equals(.string(file.description)))
    }
}
