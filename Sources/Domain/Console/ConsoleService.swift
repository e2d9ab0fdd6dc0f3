/// The sessions of an app's console, and the log of the changes that are made through it (docs/console.md).
package struct ConsoleService: Sendable {
    let store: any ObjectStore
    let keys: AppKeys
    let ids: ObjectIDGenerator
    let settings: ConsoleSettings
    let now: @Sendable () -> Timestamp

    /// The seconds after which the time of a session's last use is written again.
    static let precision = 60
    /// The maximum number of sessions: the largest limit, with each of the two keys.
    static let mostSessions = 2000

    /// Creates the service of an app.
    ///
    /// - Parameters:
    ///   - store: The app's objects.
    ///   - keys: The app's keys; a session is valid for as long as the app has the key with which it began.
    ///   - ids: Creates the ids of new objects.
    ///   - settings: The limits.
    ///   - now: Returns the current time.
    package init(
        store: any ObjectStore,
        keys: AppKeys,
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        settings: ConsoleSettings = ConsoleSettings(),
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.store = store
        self.keys = keys
        self.ids = ids
        self.settings = settings
        self.now = now
    }

    /// Begins a session, and removes those that are over.
    ///
    /// The caller has verified the key.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether the session changes nothing.
    ///   - address: The client address.
    ///   - browser: What the browser says that it is.
    /// - Returns: The session and its token, which is not stored.
    /// - Throws: ``ServiceError/Code/unauthorized`` if the app has no such key; errors of the store.
    package func logIn(
        isReadOnly: Bool,
        from address: String,
        browser: String
    ) async throws -> (session: ConsoleSession, token: ConsoleToken) {
        guard let key = key(isReadOnly: isReadOnly) else { throw ServiceError(.unauthorized, "Unauthorized.") }
        let now = now()
        let token = ConsoleToken(of: ids.next())
        let session = ConsoleSession(
            token,
            with: key,
            isReadOnly: isReadOnly,
            from: address,
            browser: browser,
            life: settings.sessionLife,
            at: now
        )
        try await store.write { [settings] writer in
            try writer.removeConsoleSessions(isReadOnly: isReadOnly, at: now, settings)
            try writer.insert(session.object, into: .consoleSession)
        }
        return (session, token)
    }

    /// The session of a token, which is in use from now on; `nil` if there is none, if it is over, or if the app has
    /// another key since its log-in.
    ///
    /// - Throws: Errors of the store.
    package func session(of token: ConsoleToken) async throws -> ConsoleSession? {
        let now = now()
        let stored = try await store.read { try $0.object(token.session, in: .consoleSession) }
        guard let session = stored.flatMap(ConsoleSession.init(stored:)),
            let key = key(isReadOnly: session.isReadOnly),
            Secret(session.digest).matches(token.digest(with: key)),
            !session.isOver(at: now, idleTime: settings.idleTime)
        else { return nil }
        // With short times of inactivity the precision is finer.
        let precision = min(ConsoleService.precision, settings.idleTime / 4)
        if now >= session.lastUsedAt.adding(seconds: precision) {
            try await noteUse(of: session.id, at: now)
        }
        return session
    }

    /// The sessions that are not over, the newest first.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, errors of the store.
    package func sessions(as caller: Caller) async throws -> [ConsoleSession] {
        try caller.requireMasterKey()
        let now = now()
        let query = ObjectQuery(
            .consoleSession,
            order: [SortKey(FieldPath(field: "createdAt"), descending: true)],
            page: Page(first: ConsoleService.mostSessions)
        )
        return try await store.read { try $0.find(query) }
            .compactMap(ConsoleSession.init(stored:))
            .filter { !$0.isOver(at: now, idleTime: settings.idleTime) }
    }

    /// Ends a session; the next request with its token is refused.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/objectNotFound`` if there is no such
    ///   session.
    package func end(_ id: ObjectID, as caller: Caller) async throws {
        try caller.requireMasterKey()
        let hasEnded = try await store.write { try $0.delete(id, in: .consoleSession) }
        guard hasEnded else { throw ServiceError(.objectNotFound, "There is no such session of the console.") }
    }

    /// Ends all sessions.
    ///
    /// - Returns: Their number.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func endAll(as caller: Caller) async throws -> Int {
        try caller.requireMasterKey()
        return try await store.write { writer in
            try writer.delete(try writer.rows(ObjectQuery(.consoleSession, page: .all)).map(\.id), in: .consoleSession)
                .count
        }
    }

    /// Ends the session of a token that the browser gives back.
    ///
    /// - Throws: Errors of the store.
    package func logOut(_ session: ConsoleSession) async throws {
        _ = try await store.write { try $0.delete(session.id, in: .consoleSession) }
    }

    private func key(isReadOnly: Bool) -> Secret? { isReadOnly ? keys.consoleReadKey : keys.masterKey }

    private func noteUse(of id: ObjectID, at now: Timestamp) async throws {
        do {
            try await store.write { writer in
                guard var session = try writer.object(id, in: .consoleSession) else { return }
                let before = session
                session.fields["lastUsedAt"] = .date(now)
                session.touch(at: now)
                try writer.update(session, in: .consoleSession, from: before)
            }
        } catch let error as ServiceError where [.storageFull, .storageReadOnly, .unavailable].contains(error.code) {
            // The operator looks for the reason with the console.
        }
    }
}

extension WriteTransaction {
    /// Removes the sessions that are over, and more of those with the same rights if one more would exceed the limit.
    ///
    /// Log-ins with the read-only key end no session of an owner.
    fileprivate func removeConsoleSessions(
        isReadOnly: Bool,
        at now: Timestamp,
        _ settings: ConsoleSettings
    ) throws {
        let order = [SortKey(FieldPath(field: "createdAt"))]
        let page = Page(first: ConsoleService.mostSessions)
        let stored = try find(ObjectQuery(.consoleSession, order: order, page: page))
        let sessions = stored.map { (id: $0.id, session: ConsoleSession(stored: $0)) }
        let over = sessions.filter { $0.session?.isOver(at: now, idleTime: settings.idleTime) ?? true }.map(\.id)
        let open = sessions.compactMap(\.session).filter { $0.isReadOnly == isReadOnly && !over.contains($0.id) }
            .sorted { $0.lastUsedAt < $1.lastUsedAt }
        let surplus = max(0, open.count - settings.maxSessions + 1)
        try delete(over + open.prefix(surplus).map(\.id), in: .consoleSession)
    }
}
