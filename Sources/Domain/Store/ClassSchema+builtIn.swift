extension ClassSchema {
    /// The classes that every app has from its first start.
    package static let builtIn: [ClassSchema] = [
        .files, .users, .roles, .sessions, .identities, .uploads, .uploadParts, .usage, .deletions, .goneKeys,
        .censorJobs, .censorRuns, .censorLog, .censorSettings, .knownImages,
        .mails, .mailLinks, .inboxes, .inboxItems, .peopleJobs, .sms, .smsCodes, .captchas,
        .damages, .trash, .consoleSessions, .consoleAudit, .liveQueries,
    ]

    /// File records.
    package static let files = ClassSchema(
        name: .file,
        fields: [
            "name": FieldDefinition(.string), "key": FieldDefinition(.string),
            "mime_type": FieldDefinition(.string), "metaData": FieldDefinition(.object),
            "url": FieldDefinition(.string), MirrorField.name: FieldDefinition(.string),
            // The verdict of censorship: only the master key reads it, and only the server writes it.
            "censorResult": .ofServer(.string),
        ],
        // The second for the review list: the newest files with a verdict.
        indexes: [
            .unique("key"),
            IndexDefinition(fields: [FieldPath(field: "censorResult"), FieldPath(field: "createdAt")]),
        ]
    )

    /// Users (protocol/data 6.1).
    package static let users = ClassSchema(
        name: .user,
        fields: [
            "username": FieldDefinition(.string), "email": FieldDefinition(.string),
            "mobilePhoneNumber": FieldDefinition(.string), AccountName.emailVerified: .readOnly(.boolean),
            AccountName.phoneVerified: .readOnly(.boolean), AuthData.field: FieldDefinition(.object),
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
            "uploads": FieldDefinition(.number), "trashBytes": FieldDefinition(.number),
            "trashFiles": FieldDefinition(.number),
        ]
    )

    /// The deletion queue: see ``PendingDeletion``.
    package static let deletions = ClassSchema(
        name: .deletion,
        fields: ["key": FieldDefinition(.string), "trash": FieldDefinition(.boolean)],
        indexes: [IndexDefinition(fields: [FieldPath(field: "key")])]
    )

    /// The trash: see ``TrashEntry``.
    package static let trash = ClassSchema(
        name: .trash,
        fields: [
            "file": FieldDefinition(.string), "key": FieldDefinition(.string), "name": FieldDefinition(.string),
            "size": FieldDefinition(.number), "reason": FieldDefinition(.string), "by": FieldDefinition(.string),
            "expiresAt": FieldDefinition(.date),
        ],
        indexes: [.plain("file"), .plain("expiresAt")]
    )

    /// The keys of deleted files: see ``ReadTransaction/isGone(_:)``.
    package static let goneKeys = ClassSchema(
        name: .goneKey,
        fields: ["key": FieldDefinition(.string)],
        indexes: [.unique("key")]
    )

    /// The censorship queue: see ``CensorJob``.
    package static let censorJobs = ClassSchema(
        name: .censorJob,
        fields: [
            "work": FieldDefinition(.string), "file": FieldDefinition(.string), "turn": FieldDefinition(.string),
            "run": FieldDefinition(.string), "position": FieldDefinition(.string), "lease": FieldDefinition(.string),
            "attempts": FieldDefinition(.number), "awaiting": FieldDefinition(.boolean),
        ],
        indexes: [.plain("turn"), .plain("run"), .plain("lease")]
    )

    /// The bulk runs of censorship: see ``CensorRun``.
    package static let censorRuns = ClassSchema(
        name: .censorRun,
        fields: [
            "state": FieldDefinition(.string), "from": FieldDefinition(.date), "to": FieldDefinition(.date),
            "recheck": FieldDefinition(.boolean), "total": FieldDefinition(.number),
            "examined": FieldDefinition(.number), "queued": FieldDefinition(.number),
            "decided": FieldDefinition(.number), "passed": FieldDefinition(.number),
            "review": FieldDefinition(.number), "rejected": FieldDefinition(.number),
            "position": FieldDefinition(.string),
        ]
    )

    /// The audit log of censorship: see ``CensorLogEntry``.
    package static let censorLog = ClassSchema(
        name: .censorLog,
        fields: [
            "event": FieldDefinition(.string), "file": FieldDefinition(.string), "verdict": FieldDefinition(.string),
            "kind": FieldDefinition(.string), "by": FieldDefinition(.string), "at": FieldDefinition(.string),
        ],
        indexes: [.plain("file")]
    )

    /// The settings of censorship: see ``CensorSettings``.
    package static let censorSettings = ClassSchema(
        name: .censorSettings,
        fields: ["auto": FieldDefinition(.boolean), "hold": FieldDefinition(.boolean)]
    )

    /// The images that are blocked wherever they are uploaded again: see ``KnownImage``.
    package static let knownImages = ClassSchema(
        name: .knownImage,
        fields: [
            "sha256": FieldDefinition(.string), "pdq": FieldDefinition(.string), "file": FieldDefinition(.string),
            "note": FieldDefinition(.string),
        ],
        indexes: [.plain("sha256"), .plain("pdq"), .plain("file")]
    )

    /// The mail queue: the area Mail has its rows.
    package static let mails = ClassSchema(
        name: .mail,
        fields: [
            "purpose": FieldDefinition(.string), "user": FieldDefinition(.pointer(.user)),
            "to": FieldDefinition(.string), "redirect": FieldDefinition(.string), "turn": FieldDefinition(.string),
            "lease": FieldDefinition(.string), "attempts": FieldDefinition(.number), "since": FieldDefinition(.date),
            "failure": FieldDefinition(.string),
        ],
        indexes: [.plain("turn"), .plain("user"), .plain("lease")]
    )

    /// The links in mails, with the digests of their tokens.
    package static let mailLinks = ClassSchema(
        name: .mailLink,
        fields: [
            "purpose": FieldDefinition(.string), "user": FieldDefinition(.pointer(.user)),
            "to": FieldDefinition(.string), "redirect": FieldDefinition(.string),
            "expiresAt": FieldDefinition(.date), "_token": FieldDefinition(.string),
        ],
        indexes: [.unique("_token"), .plain("user"), .plain("expiresAt")]
    )

    /// The inboxes of users: the area People has their rows.
    package static let inboxes = ClassSchema(
        name: .inbox,
        fields: [
            "box": FieldDefinition(.string), "last": FieldDefinition(.number), "read": FieldDefinition(.number),
        ],
        indexes: [.unique("box")]
    )

    /// The statuses in inboxes.
    package static let inboxItems = ClassSchema(
        name: .inboxItem,
        fields: ["place": FieldDefinition(.string), "delivery": FieldDefinition(.string)],
        indexes: [.unique("place"), .unique("delivery")]
    )

    /// The queue of deliveries and of other work that takes many steps.
    package static let peopleJobs = ClassSchema(
        name: .peopleJob,
        fields: [
            "work": FieldDefinition(.string), "subject": FieldDefinition(.string), "turn": FieldDefinition(.string),
            "delivery": FieldDefinition(.object), "cursor": FieldDefinition(.string),
            "attempts": FieldDefinition(.number),
        ],
        indexes: [.plain("turn")]
    )

    /// The SMS queue: the area SMS has its rows.
    package static let sms = ClassSchema(
        name: .sms,
        fields: [
            "purpose": FieldDefinition(.string), "number": FieldDefinition(.string),
            "user": FieldDefinition(.pointer(.user)), "nonce": FieldDefinition(.string),
            "template": FieldDefinition(.string), "sign": FieldDefinition(.string),
            "variables": FieldDefinition(.object), "voice": FieldDefinition(.boolean),
            "empty": FieldDefinition(.boolean), "lifetime": FieldDefinition(.number),
            "turn": FieldDefinition(.string), "lease": FieldDefinition(.string),
            "attempts": FieldDefinition(.number), "since": FieldDefinition(.date),
            "failure": FieldDefinition(.string),
        ],
        indexes: [.plain("turn"), .plain("user"), .plain("lease")]
    )

    /// The codes that were sent by SMS, with the random numbers of which they are derived.
    package static let smsCodes = ClassSchema(
        name: .smsCode,
        fields: [
            "purpose": FieldDefinition(.string), "number": FieldDefinition(.string),
            "target": FieldDefinition(.string), "user": FieldDefinition(.pointer(.user)),
            "nonce": FieldDefinition(.string), "tries": FieldDefinition(.number),
            "expiresAt": FieldDefinition(.date),
        ],
        indexes: [.unique("target"), .plain("user"), .plain("expiresAt")]
    )

    /// The captchas that were answered, so that none is answered twice.
    package static let captchas = ClassSchema(
        name: .captcha,
        fields: [
            "nonce": FieldDefinition(.string), "state": FieldDefinition(.string),
            "expiresAt": FieldDefinition(.date),
        ],
        indexes: [.unique("nonce"), .plain("expiresAt")]
    )

    /// What is known to be damaged, until it is whole again.
    package static let damages = ClassSchema(
        name: .damage,
        fields: [
            "subject": FieldDefinition(.string), "kind": FieldDefinition(.string), "file": FieldDefinition(.string),
            "detail": FieldDefinition(.string), "identity": FieldDefinition(.string),
            "position": FieldDefinition(.string),
        ],
        indexes: [.unique("subject"), .plain("kind")]
    )

    /// The subscriptions of live queries, where several servers share a store: see ``LiveRow``.
    package static let liveQueries = ClassSchema(
        name: .liveQuery,
        fields: [
            "installation": FieldDefinition(.string), "class": FieldDefinition(.string),
            "query": FieldDefinition(.string), "master": FieldDefinition(.boolean), "user": FieldDefinition(.string),
            "session": FieldDefinition(.string), "expiresAt": FieldDefinition(.date),
        ],
        indexes: [.plain("installation"), .plain("expiresAt")]
    )
}

/// The fields of a file's record that say which part the mirror has in it, and whose bytes it took over.
enum MirrorField {
    static let name = "_mirror"
    static let replaced = "_replaced"
}

extension IndexDefinition {
    fileprivate static func unique(_ field: String) -> IndexDefinition {
        IndexDefinition(fields: [FieldPath(field: field)], isUnique: true)
    }

    fileprivate static func plain(_ field: String) -> IndexDefinition {
        IndexDefinition(fields: [FieldPath(field: field)])
    }
}

extension FieldDefinition {
    fileprivate static func readOnly(_ type: FieldType) -> FieldDefinition {
        var definition = FieldDefinition(type)
        definition.isReadOnly = true
        return definition
    }

    fileprivate static func ofServer(_ type: FieldType) -> FieldDefinition {
        var definition = readOnly(type)
        definition.isHidden = true
        return definition
    }
}
