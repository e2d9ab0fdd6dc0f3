internal import Synchronization

/// Limits how many users clients at one address create in an hour: a token bucket for each address.
///
/// An address can use its whole allowance at once; the allowance refills evenly over an hour. Sign-ups by users count
/// like those by guests, because a client could otherwise sign up with the sessions that it just received. The state is
/// in memory: an address gets its whole allowance again after a restart, or after sign-ups from 50 000 other addresses.
/// Thread-safe.
package final class SignUpRate: Sendable {
    private let limit: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    /// The time at which each address has its whole allowance again; an address without an entry has it now.
    private let whole = Mutex(RecentEntries<CallerIdentity, ContinuousClock.Instant>(bound: 100_000))

    private static let hour = Duration.seconds(3600)

    /// - Parameters:
    ///   - limit: The number of users that an address creates in an hour; 0 means no limit.
    ///   - clock: Returns the current time.
    package init(limit: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.limit = limit
        self.clock = clock
    }

    /// Throws as ``take(for:)`` would, without using the allowance: refuses a sign-up before the password is hashed.
    package func require(for caller: Caller) throws {
        try next(for: caller) { _, _ in }
    }

    /// Uses one sign-up of the allowance of the caller's address; the master key has no limit.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if the allowance is used up.
    package func take(for caller: Caller) throws {
        try next(for: caller) { whole, next in whole.store(next, for: caller.identityByAddress) }
    }

    /// Gives back what ``take(for:)`` took, if no user was created.
    func giveBack(for caller: Caller) {
        guard limit > 0, !caller.isMaster else { return }
        whole.withLock { whole in
            // An address that is not remembered has its whole allowance.
            guard let known = whole.value(for: caller.identityByAddress) else { return }
            whole.store(known - SignUpRate.hour / limit, for: caller.identityByAddress)
        }
    }

    /// Passes to the body the time at which the address has its whole allowance again after one more sign-up.
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
