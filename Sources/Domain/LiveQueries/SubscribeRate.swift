internal import Synchronization

/// Limits the subscribe requests of clients at one address: a token bucket for each address.
///
/// The state is in memory and bounded. Thread-safe.
final class SubscribeRate: Sendable {
    private let limit: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    /// The time at which each address has its whole allowance again; an address without an entry has it now.
    private let whole = Mutex(RecentEntries<CallerIdentity, ContinuousClock.Instant>(bound: 100_000))

    /// The seconds for which the allowance lasts if it is used at once.
    private static let burst = 10

    /// - Parameters:
    ///   - limit: The number of requests in a second, on average.
    ///   - clock: Returns the current time.
    init(limit: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.limit = limit
        self.clock = clock
    }

    /// Uses one request of the allowance of the caller's address; the master key has no limit.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if the allowance is used up.
    func take(for caller: Caller) throws {
        guard !caller.isMaster else { return }
        let now = clock()
        let isTaken = whole.withLock { whole in
            let next = max(whole.value(for: caller.identityByAddress) ?? now, now) + .seconds(1) / max(1, limit)
            guard next - now <= .seconds(SubscribeRate.burst) else { return false }
            whole.store(next, for: caller.identityByAddress)
            return true
        }
        guard isTaken else {
            throw ServiceError(
                .overloaded,
                "Clients at this address have subscribed to more than \(limit) live queries in a second, the limit "
                    + "(liveQueries.subscribeRate); try again in a second."
            )
        }
    }
}
