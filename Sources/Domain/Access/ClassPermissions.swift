/// The permissions of a class: six operations, each open to a list of callers (protocol/data 5.1).
package struct ClassPermissions: Sendable, Hashable {
    private var audiences: [ClassOperation: Set<Audience>]

    /// Creates the permissions of a new class: open to all callers, except for the built-in classes in
    /// docs/permissions.md.
    package init(of name: ClassName) {
        audiences = Dictionary(uniqueKeysWithValues: ClassOperation.allCases.map { ($0, [.everyone]) })
        switch name {
        case .file: audiences[.delete] = []
        case .user: audiences[.find] = []
        case .session, .identity, .upload, .uploadPart, .usage, .deletion, .goneKey, .censorJob, .censorRun, .censorLog,
            .censorSettings, .knownImage, .mail, .mailLink, .sms, .smsCode, .captcha, .inbox, .inboxItem, .peopleJob,
            .damage, .trash, .consoleSession, .consoleAudit, .liveQuery:
            audiences = [:]
        default: break
        }
    }

    /// The callers who are allowed to do the operation; an empty set allows only the master key.
    package subscript(operation: ClassOperation) -> Set<Audience> {
        get { audiences[operation] ?? [] }
        set { audiences[operation] = newValue }
    }

    /// The wire and storage format: `{"create":["users"],"delete":[],…}`.
    package var json: JSONValue {
        let members = ClassOperation.allCases.map { operation in
            (operation.rawValue, JSONValue.array(self[operation].map(\.entry).sorted().map(JSONValue.string)))
        }
        return .object(Dictionary(uniqueKeysWithValues: members))
    }

    /// Whether the caller is allowed to do the operation; the master key always is.
    package func allow(_ operation: ClassOperation, to caller: Caller) -> Bool {
        caller.isMaster || self[operation].contains { $0.contains(caller.user) }
    }
}

/// An operation that the permissions of a class allow or refuse.
package enum ClassOperation: String, Sendable, CaseIterable {
    /// A change that adds a new field to the class.
    case addFields = "add_fields"
    case create
    case delete
    /// Queries and counts.
    case find
    /// One object by its id.
    case get
    case update
}

/// Callers who are allowed to do an operation of a class.
package enum Audience: Sendable, Hashable {
    /// Every caller of the app.
    case everyone
    /// Every user with a session.
    case users
    /// One user.
    case user(ObjectID)
    /// The users of a role, directly or through other roles.
    case role(String)

    /// Parses `everyone`, `users`, `user:<objectId>` or `role:<name>`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the malformed entry.
    package init(_ entry: String) throws {
        let parts = entry.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.count) {
        case ("everyone", 1): self = .everyone
        case ("users", 1): self = .users
        case ("user", 2):
            guard let id = ObjectID(parts[1]) else { throw Audience.refusal(of: entry) }
            self = .user(id)
        case ("role", 2):
            guard RoleName.isImportable(parts[1]) else { throw Audience.refusal(of: entry) }
            self = .role(parts[1])
        default: throw Audience.refusal(of: entry)
        }
    }

    /// The string from which the entry is parsed.
    package var entry: String {
        switch self {
        case .everyone: "everyone"
        case .users: "users"
        case .user(let id): "user:\(id)"
        case .role(let name): "role:\(name)"
        }
    }

    func contains(_ user: Caller.User?) -> Bool {
        switch self {
        case .everyone: true
        case .users: user != nil
        case .user(let id): user?.id == id
        case .role(let name): user?.roles.containsSpelling(name) ?? false
        }
    }

    private static func refusal(of entry: String) -> ServiceError {
        ServiceError(
            .badRequest,
            "'\(entry.prefix(64))' must be everyone, users, user:<objectId> or role:<name>."
        )
    }
}
