internal import Synchronization

/// Users by the digests of their tokens, so that a request of somebody who is known asks the database nothing.
///
/// Whatever may change who somebody is or what roles they have empties it, before that is answered; for any thread.
package final class SessionCache: Sendable {
    private let users: BoundedCache<String, Caller.User>
    private let count = Atomic<Int>(0)

    /// The most bytes of what stands for a user, so that many roles do not fill the memory.
    private static let largest = 16 << 10

    /// - Parameter bound: The most users kept; 0 keeps none.
    init(bound: Int) {
        users = BoundedCache(bound: bound)
    }

    /// How often it was emptied: what was found in the same epoch is still true.
    package var epoch: Int { count.load(ordering: .acquiring) }

    /// The user of a token; one that is found now is kept.
    func user(
        of token: SessionToken,
        finding find: () async throws -> Caller.User?
    ) async throws -> Caller.User? {
        var large: Caller.User?
        let kept = try await users.value(for: token.digest) {
            guard let found = try await find() else { return nil }
            guard found.subjects.json.utf8.count <= SessionCache.largest else {
                large = found
                return nil
            }
            return found
        }
        return kept ?? large
    }

    /// Forgets everybody.
    func removeAll() {
        count.add(1, ordering: .acquiringAndReleasing)
        users.removeAll()
    }
}
