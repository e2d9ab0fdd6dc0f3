/// An object as it is stored: id, times and ACL, and its fields in canonical form.
package struct StoredObject: Sendable, Hashable {
    /// The objectId.
    package var id: ObjectID
    /// When it was made.
    package var createdAt: Timestamp
    /// When it was changed last.
    package var updatedAt: Timestamp
    /// Who is allowed to read and write it; `nil` means every caller.
    package var acl: AccessControlList?
    /// The class's own fields.
    package var fields: [String: JSONValue]

    /// Takes checked values.
    package init(
        id: ObjectID,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        acl: AccessControlList? = nil,
        fields: [String: JSONValue]
    ) {
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.acl = acl
        self.fields = fields
    }

    /// What queries see under a name: a field, or one of the built-in ones.
    package func value(of field: String) -> JSONValue? {
        switch field {
        case "objectId": .string(id.description)
        case "createdAt": .date(createdAt)
        case "updatedAt": .date(updatedAt)
        default: fields[field]
        }
    }
}
