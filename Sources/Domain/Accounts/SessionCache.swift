internal import Synchronization

/// Users by the digests of their tokens, so that a request of a cached user needs no query.
///
/// Every change that can affect users or their roles empties it before the change is answered. Thread-safe.
package final class SessionCache: Sendable {
    private struct State {
        var users: RecentEntries<String, Caller.User>
        var endings = SessionEndings(bound: SessionCache.mostEndings)
    }

    private let state: Mutex<State>
    /// The epoch of the endings, for a look without the lock.
    private let latest = Atomic<Int>(0)

    /// The most bytes of what stands for a user, so that many roles do not fill the memory.
    private static let largest = 16 << 10
    /// Twice as many endings are known one by one, about 100 bytes each; users found before older ones are looked up again.
    private static let mostEndings = 10_000

    /// - Parameter bound: The maximum number of users; 0: no cache.
    init(bound: Int) {
        state = Mutex(State(users: RecentEntries(bound: bound)))
    }

    /// How many endings there were.
    ///
    /// A reader takes it before its transaction begins, and what it finds carries it (``Caller/User/epoch``).
    package var epoch: Int { latest.load(ordering: .acquiring) }

    /// Whether all that was found of a user is still true: the session, the user, and the roles.
    package func isCurrent(_ user: Caller.User) -> Bool {
        user.epoch == epoch || state.withLock { $0.endings.isCurrent(user) }
    }

    /// The user of a token; a user that is looked up now is cached.
    func user(
        of token: SessionToken,
        finding find: (_ epoch: Int) async throws -> Caller.User?
    ) async throws -> Caller.User? {
        let digest = token.digest
        let (known, epoch): (Caller.User?, Int) = state.withLock { state in
            let epoch = state.endings.epoch
            guard let user = state.users.value(for: digest) else { return (nil, epoch) }
            if state.endings.isCurrent(user) { return (user, epoch) }
            state.users.remove(digest)
            return (nil, epoch)
        }
        if let known { return known }
        guard let found = try await find(epoch) else { return nil }
        if found.subjects.json.utf8.count <= SessionCache.largest {
            state.withLock { $0.users.store(found, for: digest) }
        }
        return found
    }

    /// Removes all users.
    func removeAll() {
        count.add(1, ordering: .acquiringAndReleasing)
        users.removeAll()
    }
}
