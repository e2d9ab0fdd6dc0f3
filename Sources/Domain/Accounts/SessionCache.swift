internal import Synchronization

/// Caches users by the digests of their tokens, so that a request with a cached session does not query the database.
///
/// Each entry carries the epoch in which it was read. The end of a session or a user begins a new epoch, and an entry
/// is valid only if neither its session nor its user ended later. So an entry that was read before a commit and stored
/// after it is a miss, and the end of one session causes no lookup for other users. Thread-safe.
package final class SessionCache: Sendable {
    private struct State {
        var users: RecentEntries<String, Caller.User>
        var endings = SessionEndings(bound: SessionCache.maxEndings)
    }

    private let state: Mutex<State>
    /// The uses of the cache so far.
    package let counts = CacheCounts()
    /// The current epoch, for reads without the lock.
    private let latest = Atomic<Int>(0)

    /// The maximum size of an entry's ACL subjects in bytes, so that users with many roles do not fill the memory.
    private static let largest = 16 << 10
    /// The maximum number of endings in each of two generations, about 100 bytes each; users that were read before
    /// older endings are looked up again.
    private static let maxEndings = 10_000

    /// - Parameter bound: The maximum number of cached users; 0 disables the cache.
    init(bound: Int) {
        state = Mutex(State(users: RecentEntries(bound: bound)))
    }

    /// The number of endings so far.
    ///
    /// A reader reads it before its transaction begins and stores it in the result (``Caller/User/epoch``).
    package var epoch: Int { latest.load(ordering: .acquiring) }

    /// Whether the cached facts about a user are still valid: the session, the user and the roles.
    package func isCurrent(_ user: Caller.User) -> Bool {
        user.epoch == epoch || state.withLock { $0.endings.isCurrent(user) }
    }

    /// The user of a token, from the cache or from `find`, whose result is cached.
    ///
    /// - Parameters:
    ///   - token: The client's token.
    ///   - confirm: Whether the cache knows all changes now; called before a cached user is used. `nil` if it always does.
    ///   - find: Looks the user up in a transaction that begins after the given epoch.
    /// - Returns: The user; `nil` if `find` returns `nil`.
    /// - Throws: The errors of `confirm` and `find`.
    func user(
        of token: SessionToken,
        confirming confirm: (() async throws -> Bool)? = nil,
        finding find: (_ epoch: Int) async throws -> Caller.User?
    ) async throws -> Caller.User? {
        let digest = token.digest
        var (known, epoch): (Caller.User?, Int) = state.withLock { state in
            let epoch = state.endings.epoch
            guard let user = state.users.value(for: digest) else { return (nil, epoch) }
            if state.endings.isCurrent(user) { return (user, epoch) }
            state.users.remove(digest)
            return (nil, epoch)
        }
        if let confirm, let user = known {
            // Its session can have been ended by what the cache has heard during the confirmation.
            let isConfirmed = try await confirm()
            if !isConfirmed || !isCurrent(user) { (known, epoch) = (nil, self.epoch) }
        }
        counts.count(isHit: known != nil)
        if let known { return known }
        guard let found = try await find(epoch) else { return nil }
        if found.subjects.json.utf8.count <= SessionCache.largest {
            state.withLock { $0.users.store(found, for: digest) }
        }
        return found
    }

    /// Invalidates the entries of a session or a user.
    func end(_ id: ObjectID) {
        change { $0.end(id) }
    }

    /// Invalidates all entries.
    func endAll() {
        change { $0.endAll() }
    }

    private func change(_ body: (inout SessionEndings) -> Void) {
        state.withLock { state in
            body(&state.endings)
            latest.store(state.endings.epoch, ordering: .releasing)
        }
    }
}

extension SessionCache {
    /// Subscribes to the changes that concern callers.
    func follow(_ changes: ChangeFeed) {
        changes.subscribe(to: ChangeFilter.ofCallers) { [self] event in
            guard case .changes(let changes) = event, !changes.contains(where: { $0.className == .role }) else {
                return endAll()
            }
            for change in changes { end(change.id) }
        }
    }
}
