/// A log-in that lasts, as stored.
struct Session: Sendable {
    let id: ObjectID
    let user: ObjectID

    /// The field with the digest of the token.
    static let token = "_token"
    /// The field of a session that began with a refreshed token, a new password or a repeated import instead of a
    /// log-in.
    ///
    /// The next log-in that shares the session removes it.
    static let isRenewed = "_renewed"
}

/// A session that a log-in begins or shares, with its token, which is not stored.
struct BegunSession {
    let id: ObjectID
    let token: SessionToken
}

extension WriteTransaction {
    /// Begins a session of a user, or finds the one that all log-ins of the user share; ends the oldest sessions if there
    /// are too many.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - imported: The token of a session of another server; `nil` for a log-in.
    ///   - isRenewal: Whether the user was logged in before, here or on another server, so that this is no log-in.
    ///   - settings: The settings of accounts.
    /// - Returns: The session.
    /// - Throws: ``ServiceError/Code/duplicateValue`` if another session has the token.
    func beginSession(
        of user: ObjectID,
        with imported: SessionToken? = nil,
        renewing isRenewal: Bool = false,
        _ settings: ObjectSettings
    ) throws -> BegunSession {
        let secret = settings.accountSettings.sessionSecret
        if imported == nil, let secret, let shared = try sharedSession(of: user, secret) {
            if !isRenewal { try noteLogIn(shared.session, settings) }
            return BegunSession(id: shared.session.id, token: shared.token)
        }
        let count = try count(.belongs(to: user), in: .session)
        let surplus = count - settings.accountSettings.maxSessions + 1
        if surplus > 0 {
            let oldest = ObjectQuery(.session, where: .belongs(to: user), page: Page(first: surplus))
            try delete(try rows(oldest).map(\.id), in: .session)
        }
        var session = StoredObject.own(["user": Pointer(.user, user).json], settings)
        let token = imported ?? secret?.token(of: session.id, user: user) ?? SessionToken()
        session.fields[Session.token] = .string(token.digest)
        if isRenewal { session.fields[Session.isRenewed] = .bool(true) }
        try insert(session, into: .session)
        return BegunSession(id: session.id, token: token)
    }

    /// The session that all log-ins of a user share: the one whose token is derived from the secret.
    ///
    /// Of the user's sessions, only the newest are searched: others are imported ones, or began before log-ins shared
    /// one.
    private func sharedSession(
        of user: ObjectID,
        _ secret: SessionSecret
    ) throws -> (session: StoredObject, token: SessionToken)? {
        let newest = ObjectQuery(
            .session,
            where: .belongs(to: user),
            order: [SortKey(FieldPath(field: "createdAt"), descending: true)],
            page: Page(first: 100)
        )
        for session in try find(newest) {
            let token = secret.token(of: session.id, user: user)
            if session.fields[Session.token] == .string(token.digest) {
                return (session, token)
            }
        }
        return nil
    }

    /// Changes the time of a shared session, by which subscribers of the feed learn of the log-in.
    private func noteLogIn(_ session: StoredObject, _ settings: ObjectSettings) throws {
        var used = session
        used.fields[Session.isRenewed] = nil
        used.touch(at: settings.clock())
        do {
            try attempt { try update(used, in: .session, from: session) }
        } catch let error as ServiceError where error.code == .storageFull {
            // The user can log in although there is no free space.
        }
    }

    /// Ends a user's sessions, all or all but one; returns the number of those that it ended.
    @discardableResult
    func endSessions(of user: ObjectID, except kept: ObjectID? = nil) throws -> Int {
        let sessions = try rows(ObjectQuery(.session, where: .belongs(to: user), page: .all)).map(\.id)
        return try delete(sessions.filter { $0 != kept }, in: .session).count
    }
}

extension ReadTransaction {
    /// The session of a token; `nil` if it does not exist.
    func session(of token: SessionToken) throws -> Session? { try session(withDigest: token.digest) }

    /// The session of the token with a digest; `nil` if it does not exist.
    func session(withDigest digest: String) throws -> Session? {
        let isToken = Condition.field(FieldPath(field: Session.token), .equals(.string(digest)))
        guard let session = try find(ObjectQuery(.session, where: isToken, page: .first)).first, let user = session.user
        else { return nil }
        return Session(id: session.id, user: user)
    }

    /// The caller in the state of this transaction: a guest if its session has ended, else with its current roles.
    ///
    /// If no event since the lookup concerns the caller, and neither does a change of this transaction, no query runs.
    ///
    /// - Parameters:
    ///   - caller: The caller as it was looked up before.
    ///   - dependencies: Contain the cache that knows which sessions ended and which users changed since.
    ///   - epoch: The epoch of ``SessionCache`` before this transaction began. Without it, the result counts in this
    ///     transaction only.
    /// - Returns: The caller in its current state.
    /// - Throws: Errors of the store.
    func revalidated(_ caller: Caller, _ dependencies: AccountDependencies, foundAt epoch: Int = -1) throws -> Caller {
        guard let user = caller.user, concernsCallers || !dependencies.sessionCache.isCurrent(user) else {
            return caller
        }
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
