/// Finds out who is logged in: once for each request, in one transaction.
package struct SessionService: Sendable {
    private let store: any ObjectStore
    private let accounts: Accounts

    /// Takes the app's store.
    package init(store: any ObjectStore, accounts: Accounts) {
        self.store = store
        self.accounts = accounts
    }

    /// The caller with the user whose token it shows; the same caller if the token is none that lasts, because a stale
    /// one fails no request (protocol/data 1.2).
    package func caller(_ caller: Caller, showing token: String) async throws -> Caller {
        guard let token = SessionToken(token) else { return caller }
        let user = try await accounts.sessions.user(of: token) { try await find(token, epoch: $0) }
        return user.map(caller.logged(in:)) ?? caller
    }

    /// The caller as it is now: long after a request began, its session may have ended and its roles may be others.
    package func lasting(_ caller: Caller) async throws -> Caller {
        guard let user = caller.user, !accounts.sessions.isCurrent(user) else { return caller }
        // Before the snapshot: what ends after it must not count as known.
        let epoch = accounts.sessions.epoch
        return try await store.read { [accounts] in try $0.lasting(caller, accounts, foundAt: epoch) }
    }

    private func find(_ token: SessionToken, epoch: Int) async throws -> Caller.User? {
        let limit = accounts.settings.roles
        return try await store.read { reader in
            guard let session = try reader.session(of: token) else { return nil }
            return try RoleSearch(reader: reader, limit: limit).user(of: session, epoch: epoch)
        }
    }
}
