/// Finds out who is logged in: once for each request, in one transaction.
package struct SessionService: Sendable {
    private let store: any ObjectStore
    private let dependencies: AccountDependencies

    /// Takes the app's store.
    package init(store: any ObjectStore, dependencies: AccountDependencies) {
        self.store = store
        self.dependencies = dependencies
    }

    /// The caller with the user whose token it shows; the same caller if the token is none that lasts, because a stale
    /// one fails no request (protocol/data 1.2).
    package func caller(_ caller: Caller, showing token: String) async throws -> Caller {
        guard let token = SessionToken(token) else { return caller }
        let user = try await dependencies.sessionCache.user(of: token) { try await find(token, epoch: $0) }
        return user.map(caller.logged(in:)) ?? caller
    }

    /// The caller as it is now: long after a request began, its session may have ended and its roles may be others.
    package func revalidated(_ caller: Caller) async throws -> Caller {
        guard let user = caller.user, !dependencies.sessionCache.isCurrent(user) else { return caller }
        // Before the snapshot: what ends after it must not count as known.
        let epoch = dependencies.sessionCache.epoch
        return try await store.read { [dependencies] in try $0.revalidated(caller, dependencies, foundAt: epoch) }
    }

    private func find(_ token: SessionToken, epoch: Int) async throws -> Caller.User? {
        let limit = dependencies.settings.maxRoles
        return try await store.read { reader in
            guard let session = try reader.session(of: token) else { return nil }
            return try RoleSearch(reader: reader, limit: limit).user(of: session, epoch: epoch)
        }
    }
}
