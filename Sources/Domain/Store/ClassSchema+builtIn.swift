extension ClassSchema {
    /// The classes that every app has from its first start.
    package static let builtIn: [ClassSchema] = [
        .files, .users, .roles, .sessions, .identities, .uploads, .uploadParts, .usage, .deletions, .goneKeys,
    ]

    /// File records.
    package static let files = ClassSchema(
        name: .file,
        fields: [
            "name": FieldDefinition(.string), "key": FieldDefinition(.string),
            "mime_type": FieldDefinition(.string), "metaData": FieldDefinition(.object),
            "url": FieldDefinition(.string), MirrorField.name: FieldDefinition(.string),
        ],
        indexes: [.unique("key")]
    )

    /// Users (protocol/data 6.1).
    package static let users = ClassSchema(
        name: .user,
        fields: [
            "username": FieldDefinition(.string), "email": FieldDefinition(.string),
            "mobilePhoneNumber": FieldDefinition(.string), "emailVerified": .readOnly(.boolean),
            "mobilePhoneVerified": .readOnly(.boolean), AuthData.field: FieldDefinition(.object),
            PasswordHash.field: FieldDefinition(.string),
        ],
        indexes: AccountName.allCases.map { .unique($0.rawValue) }
    )

    /// Roles (protocol/data 5.3).
    package static let roles = ClassSchema(
        name: .role,
        fields: [
            "name": FieldDefinition(.string), "users": FieldDefinition(.relation(.user)),
            "roles": FieldDefinition(.relation(.role)),
        ],
        indexes: [.unique("name")]
    )

    /// Sessions: the user, and the digest of the token.
    package static let sessions = ClassSchema(
        name: .session,
        fields: ["user": FieldDefinition(.pointer(.user)), "_token": FieldDefinition(.string)],
        indexes: [.unique("_token"), IndexDefinition(fields: [FieldPath(field: "user")])]
    )

    /// The identities of users on other platforms, unique so that each belongs to one user: see
    /// ``AuthData/identities``.
    package static let identities = ClassSchema(
        name: .identity,
        fields: ["user": FieldDefinition(.pointer(.user)), "identity": FieldDefinition(.string)],
        indexes: [.unique("identity"), IndexDefinition(fields: [FieldPath(field: "user")])]
    )

    /// Uploads: the description of the future file, and the digest of the token.
    package static let uploads = ClassSchema(
        name: .upload,
        fields: [
            "name": FieldDefinition(.string), "key": FieldDefinition(.string), "mime_type": FieldDefinition(.string),
            "metaData": FieldDefinition(.object), "size": FieldDefinition(.number), "state": FieldDefinition(.string),
            "expiresAt": FieldDefinition(.date), "_token": FieldDefinition(.string),
        ],
        indexes: [
            .unique("_token"), IndexDefinition(fields: [FieldPath(field: "expiresAt")]),
            IndexDefinition(fields: [FieldPath(field: "key")]),
        ]
    )

    /// Parts of uploads: the ranges of their bytes.
    package static let uploadParts = ClassSchema(
        name: .uploadPart,
        fields: [
            "upload": FieldDefinition(.pointer(.upload)), "number": FieldDefinition(.number),
            "size": FieldDefinition(.number),
        ],
        indexes: [IndexDefinition(fields: [FieldPath(field: "upload")])]
    )

    /// The storage that the app's files use: see ``Usage``.
    package static let usage = ClassSchema(
        name: .usage,
        fields: [
            "bytes": FieldDefinition(.number), "files": FieldDefinition(.number), "announced": FieldDefinition(.number),
            "uploads": FieldDefinition(.number),
        ]
    )

    /// The deletion queue: see ``PendingDeletion``.
    package static let deletions = ClassSchema(
        name: .deletion,
        fields: ["key": FieldDefinition(.string)],
        indexes: [IndexDefinition(fields: [FieldPath(field: "key")])]
    )

    /// The keys of deleted files: see ``ReadTransaction/isGone(_:)``.
    package static let goneKeys = ClassSchema(
        name: .goneKey,
        fields: ["key": FieldDefinition(.string)],
        indexes: [.unique("key")]
    )
}

/// The field of a file's record that says which part the mirror has in it.
enum MirrorField {
    static let name = "_mirror"
}

extension IndexDefinition {
    fileprivate static func unique(_ field: String) -> IndexDefinition {
        IndexDefinition(fields: [FieldPath(field: field)], isUnique: true)
    }
}

extension FieldDefinition {
    fileprivate static func readOnly(_ type: FieldType) -> FieldDefinition {
        var definition = FieldDefinition(type)
        definition.isReadOnly = true
        return definition
    }
}
