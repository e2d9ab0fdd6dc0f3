internal import Synchronization

/// Bounds how many users clients at one address make in an hour: a token bucket for each address.
///
/// An address may use all of its allowance at once; it comes back evenly over an hour. Users count as much as guests
/// do, or a client would sign up with the sessions that it just got. In memory: a restart gives every address its whole
/// allowance, and so does being pushed out by 50 000 other addresses that sign up. For any thread.
package final class SignUpRate: Sendable {
    private let limit: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    /// When each address has its whole allowance again; an address that has it need not be here.
    private let whole = Mutex(RecentEntries<CallerIdentity, ContinuousClock.Instant>(bound: 100_000))

    private static let hour = Duration.seconds(3600)

    /// - Parameters:
    ///   - limit: How many users an address makes in an hour; 0 means no limit.
    ///   - clock: Tells the time.
    package init(limit: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.limit = limit
        self.clock = clock
    }

    /// Throws as ``take(for:)`` would now, and takes nothing: for a refusal before a password is hashed.
    package func require(for caller: Caller) throws {
        try next(for: caller) { _, _ in }
    }

    /// Takes one user off the allowance of the caller's address; the master key has no limit.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if nothing of the allowance is left.
    package func take(for caller: Caller) throws {
        try next(for: caller) { whole, next in whole.store(next, for: caller.identityByAddress) }
    }

    /// Gives the body the time at which the address has its whole allowance again if it makes one more user.
    private func next(
        for caller: Caller,
        _ body: (inout RecentEntries<CallerIdentity, ContinuousClock.Instant>, ContinuousClock.Instant) -> Void
    ) throws {
        guard limit > 0, !caller.isMaster else { return }
        let now = clock()
        let wait = whole.withLock { whole -> Duration? in
            let known = whole.value(for: caller.identityByAddress)
            let next = max(known ?? now, now) + SignUpRate.hour / limit
            let wait = next - now - SignUpRate.hour
            guard wait <= .zero else { return wait }
            body(&whole, next)
            return nil
        }
        guard let wait else { return }
        let seconds = Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        throw ServiceError(
            .overloaded,
            "Clients at this address have created \(limit) users, the limit for one hour (accounts.maxSignUps); "
                + "try again in \(seconds) seconds.",
            retryAfter: seconds
        )
    }
}
