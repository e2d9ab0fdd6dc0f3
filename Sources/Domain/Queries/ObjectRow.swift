/// An object as stored: its fields as JSON text in canonical form.
///
/// Replies are built from the text itself, because most objects are sent unchanged; rules that read fields use
/// ``object()``.
package struct ObjectRow: Sendable {
    /// The objectId.
    package let id: ObjectID
    /// The time of creation.
    package let createdAt: Timestamp
    /// The time of the last change.
    package let updatedAt: Timestamp
    /// The ACL as JSON text; `nil` grants everyone access.
    package let acl: [UInt8]?
    /// The fields as one JSON object.
    package let body: [UInt8]

    /// Creates a row from the values that a store read.
    package init(id: ObjectID, createdAt: Timestamp, updatedAt: Timestamp, acl: [UInt8]?, body: [UInt8]) {
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.acl = acl
        self.body = body
    }

    /// Creates the row of an object.
    package init(_ object: StoredObject) {
        self.init(
            id: object.id,
            createdAt: object.createdAt,
            updatedAt: object.updatedAt,
            acl: object.acl.map { JSONValue.object($0.json).encoded() },
            body: JSONValue.object(object.fields).encoded()
        )
    }

    /// The size of its JSON in bytes: fields and ACL.
    package var size: Int { body.count + (acl?.count ?? 0) }

    /// The object with parsed fields.
    ///
    /// - Throws: ``ServiceError/Code/internalFailure`` for invalid text, which only another program can have written.
    package func object() throws -> StoredObject {
        do {
            let acl = try acl.map {
                try JSONValue(parsing: $0, field: "acl", depth: JSONValue.deepestStored).objectValue ?? [:]
            }
            return StoredObject(
                id: id,
                createdAt: createdAt,
                updatedAt: updatedAt,
                acl: acl.map(AccessControlList.init(stored:)),
                fields: try JSONValue(parsing: body, field: "body", depth: JSONValue.deepestStored).objectValue ?? [:]
            )
        } catch {
            throw ServiceError(.internalFailure, "Internal error.", cause: error)
        }
    }
}

extension ObjectRow {
    /// The JSON of the object in a reply that changes none of its fields.
    ///
    /// - Parameter ending: Members to append, as text that begins with a comma.
    /// - Returns: One JSON object.
    func text(ending: String) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(body.count + ending.utf8.count + 160)
        text.append(contentsOf: body.dropLast())
        if body.count > 2 { text.append(UInt8(ascii: ",")) }
        appendSystemMembers(to: &text)
        text.append(contentsOf: ending.utf8)
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// The members that every reply has, as JSON text without braces.
    var systemMembers: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(160)
        appendSystemMembers(to: &text)
        return text
    }

    private func appendSystemMembers(to text: inout [UInt8]) {
        text.append(contentsOf: #""objectId":""#.utf8)
        text.append(contentsOf: id.description.utf8)
        let created = createdAt.iso8601
        text.append(contentsOf: #"","createdAt":""#.utf8)
        text.append(contentsOf: created.utf8)
        text.append(contentsOf: #"","updatedAt":""#.utf8)
        text.append(contentsOf: (updatedAt == createdAt ? created : updatedAt.iso8601).utf8)
        text.append(UInt8(ascii: "\""))
    }
}
