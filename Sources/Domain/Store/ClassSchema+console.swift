/// The classes of the console (docs/console.md).
extension ClassSchema {
    /// The sessions of the console, with the digests of their tokens.
    package static let consoleSessions = ClassSchema(
        name: .consoleSession,
        fields: [
            "_token": FieldDefinition(.string), "readOnly": FieldDefinition(.boolean),
            "expiresAt": FieldDefinition(.date), "lastUsedAt": FieldDefinition(.date),
            "address": FieldDefinition(.string), "browser": FieldDefinition(.string),
        ]
    )

    /// The audit log of the console.
    package static let consoleAudit = ClassSchema(
        name: .consoleAudit,
        fields: [
            "session": FieldDefinition(.string), "method": FieldDefinition(.string), "path": FieldDefinition(.string),
            "status": FieldDefinition(.number), "requestId": FieldDefinition(.string),
            "summary": FieldDefinition(.string), "address": FieldDefinition(.string),
        ],
        indexes: [IndexDefinition(fields: [FieldPath(field: "session")])]
    )
}
