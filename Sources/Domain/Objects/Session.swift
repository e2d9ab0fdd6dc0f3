/// A log-in that lasts, as stored.
struct Session: Sendable {
    let id: ObjectID
    let user: ObjectID
}

/// A new session with its token, which is not stored.
struct NewSession {
    let id: ObjectID
    let token: SessionToken
}

extension WriteTransaction {
    /// Begins a session of a user; ends the oldest sessions if there are too many.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - token: The token of the session; by default a new one.
    ///   - settings: The settings of accounts.
    /// - Returns: The session.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another session has the token.
    func beginSession(
        of user: ObjectID,
        with token: SessionToken = SessionToken(),
        _ settings: ObjectSettings
    ) throws -> NewSession {
        let count = try count(.belongs(to: user), in: .session)
        let surplus = count - settings.accountSettings.maxSessions + 1
        if surplus > 0 {
            let oldest = ObjectQuery(.session, where: .belongs(to: user), page: Page(first: surplus))
            try delete(try rows(oldest).map(\.id), in: .session)
        }
        let fields: [String: JSONValue] = ["user": Pointer(.user, user).json, "_token": .string(token.digest)]
        let session = StoredObject.own(fields, settings)
        try insert(session, into: .session)
        return NewSession(id: session.id, token: token)
    }

    /// Ends a user's sessions, all or all but one.
    func endSessions(of user: ObjectID, except kept: ObjectID? = nil) throws {
        let sessions = try rows(ObjectQuery(.session, where: .belongs(to: user), page: .all)).map(\.id)
        try delete(sessions.filter { $0 != kept }, in: .session)
    }
}

extension ReadTransaction {
    /// The session of a token; `nil` if it does not exist.
    func session(of token: SessionToken) throws -> Session? {
        let isToken = Condition.field(FieldPath(field: "_token"), .equals(.string(token.digest)))
        guard let session = try find(ObjectQuery(.session, where: isToken, page: .first)).first, let user = session.user
        else { return nil }
        return Session(id: session.id, user: user)
    }

    /// The caller in the state of this transaction: a guest if its session has ended, else with its current roles.
    ///
    /// If no event since the lookup concerns the caller, no query runs.
    ///
    /// - Parameters:
    ///   - caller: The caller as it was looked up before.
    ///   - dependencies: Contain the cache that knows which sessions ended and which users changed since.
    ///   - epoch: The epoch of ``SessionCache`` before this transaction began. Without it, the result counts in this
    ///     transaction only.
    /// - Returns: The caller in its current state.
    /// - Throws: Errors of the store.
    func revalidated(_ caller: Caller, _ dependencies: AccountDependencies, foundAt epoch: Int = -1) throws -> Caller {
        guard let user = caller.user, !dependencies.sessionCache.isCurrent(user) else { return caller }
        guard try row(user.session, in: .session) != nil,
            let now = try RoleSearch(reader: self, limit: dependencies.settings.maxRoles)
                .user(of: Session(id: user.session, user: user.id), epoch: epoch)
        else { return Caller(app: caller.app, isMaster: caller.isMaster, address: caller.address) }
        return caller.logged(in: now)
    }
}

extension Condition {
    /// The condition for the sessions and identities of a user.
    static func belongs(to user: ObjectID) -> Condition {
        .field(FieldPath(field: "user"), .equals(Pointer(.user, user).json))
    }

    /// The condition for the sessions and identities of these users.
    static func belongs(toAny users: [ObjectID]) -> Condition {
        .field(FieldPath(field: "user"), .isIn(ValueSet(users.map { Pointer(.user, $0).json })))
    }
}

extension StoredObject {
    /// The user to whom the record belongs.
    var user: ObjectID? { fields["user"].flatMap(Pointer.init(stored:))?.id }

    /// An internal object, which only the master key can see.
    static func own(_ fields: [String: JSONValue], _ settings: ObjectSettings) -> StoredObject {
        let now = settings.clock()
        return StoredObject(id: settings.ids.next(), createdAt: now, updatedAt: now, fields: fields)
    }
}
