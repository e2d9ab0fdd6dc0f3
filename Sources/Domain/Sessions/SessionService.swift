/// Looks up the user of a session, once for each request, in one transaction.
package struct SessionService: Sendable {
    private let store: any ObjectStore
    private let dependencies: AccountDependencies

    /// - Parameters:
    ///   - store: The app's store.
    ///   - dependencies: The settings and caches of accounts.
    package init(store: any ObjectStore, dependencies: AccountDependencies) {
        self.store = store
        self.dependencies = dependencies
    }

    /// The uses of the cache of sessions.
    package var cacheCounts: CacheCounts { dependencies.sessionCache.counts }

    /// Adds to the caller the user to whom the token belongs.
    ///
    /// Returns the caller unchanged if the token is malformed or stale, because a stale token fails no request
    /// (protocol/data 1.2). With a shared store, an ended session, a role or a deleted user counts from the moment at
    /// which any server has acknowledged its change.
    ///
    /// - Throws: Errors of the store, also for a cached session if the store is shared and does not answer.
    package func caller(_ caller: Caller, showing token: String) async throws -> Caller {
        guard let token = SessionToken(token) else { return caller }
        let user = try await dependencies.sessionCache.user(
            of: token,
            confirming: store.coordination.map { coordination in { try await coordination.hasPublishedCallers() } },
            finding: { try await find(token, epoch: $0) }
        )
        return user.map(caller.logged(in:)) ?? caller
    }

    /// The caller with current session and roles, which can have changed since the request began.
    package func revalidated(_ caller: Caller) async throws -> Caller {
        guard let user = caller.user else { return caller }
        var caller = caller
        if let coordination = store.coordination, try await !coordination.hasPublishedCallers() {
            // An epoch that is never current.
            caller = caller.logged(in: Caller.User(id: user.id, session: user.session, roles: user.roles, epoch: -1))
        } else if dependencies.sessionCache.isCurrent(user) {
            return caller
        }
        // Read before the snapshot, because endings after the snapshot must invalidate the result.
        let epoch = dependencies.sessionCache.epoch
        return try await store.read { [dependencies, caller] in
            try $0.revalidated(caller, dependencies, foundAt: epoch)
        }
    }

    private func find(_ token: SessionToken, epoch: Int) async throws -> Caller.User? {
        let limit = dependencies.settings.maxRoles
        return try await store.read { reader in
            guard let session = try reader.session(of: token) else { return nil }
            return try RoleSearch(reader: reader, limit: limit).user(of: session, epoch: epoch)
        }
    }
}
