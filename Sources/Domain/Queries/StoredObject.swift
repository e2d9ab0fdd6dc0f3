/// An object with parsed fields: id, times and ACL, and its fields in canonical form.
package struct StoredObject: Sendable, Hashable {
    /// The objectId.
    package var id: ObjectID
    /// The time of creation.
    package var createdAt: Timestamp
    /// The time of the last change.
    package var updatedAt: Timestamp
    /// The callers that are allowed to read and write it; `nil` means every caller.
    package var acl: AccessControlList?
    /// The fields, without the built-in ones.
    package var fields: [String: JSONValue]

    /// Creates an object from checked values.
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

    /// Notes a change at a time; the time of the last change never goes back, even if the clock does.
    package mutating func touch(at now: Timestamp) {
        updatedAt = max(now, updatedAt)
    }

    /// The value that queries compare for a name: a field, or one of the built-in ones.
    package func value(of field: String) -> JSONValue? {
        switch field {
        case "objectId": .string(id.description)
        case "createdAt": .date(createdAt)
        case "updatedAt": .date(updatedAt)
        default: fields[field]
        }
    }
}
