internal import Synchronization

/// A token bucket for each key: an allowance that can be used at once and refills evenly.
///
/// The state is in memory and bounded: a key has its whole allowance again after a restart, or after uses by 50 000
/// other keys. Thread-safe.
final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private let interval: Duration
    private let period: Duration
    private let clock: @Sendable () -> ContinuousClock.Instant
    /// The time at which each key has its whole allowance again; a key without an entry has it now.
    private let whole = Mutex(RecentEntries<Key, ContinuousClock.Instant>(bound: 100_000))

    /// - Parameters:
    ///   - count: The tokens of a full bucket, at least 1.
    ///   - period: The time in which an empty bucket becomes full.
    ///   - clock: Returns the current time.
    init(count: Int, period: Duration, clock: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.period = period
        self.clock = clock
        interval = period / max(1, count)
    }

    /// Takes tokens from the bucket of a key.
    ///
    /// More tokens than a bucket has are taken from a full one, which then refills for longer.
    ///
    /// - Returns: `nil` if they were taken; otherwise the time after which they can be.
    func take(_ count: Int = 1, for key: Key) -> Duration? {
        next(count, for: key) { whole, next in whole.store(next, for: key) }
    }

    /// The time after which tokens can be taken; `nil` if they can be taken now.
    func wait(for key: Key, _ count: Int = 1) -> Duration? {
        next(count, for: key) { _, _ in }
    }

    /// Puts a token back.
    func giveBack(for key: Key) {
        whole.withLock { whole in
            // A key that is not remembered has its whole allowance.
            guard let known = whole.value(for: key) else { return }
            whole.store(known - interval, for: key)
        }
    }

    /// Passes to the body the time at which the key has its whole allowance again after it took the tokens.
    private func next(
        _ count: Int,
        for key: Key,
        _ body: (inout RecentEntries<Key, ContinuousClock.Instant>, ContinuousClock.Instant) -> Void
    ) -> Duration? {
        let now = clock()
        return whole.withLock { whole in
            let known = max(whole.value(for: key) ?? now, now)
            let next = known + interval * count
            let wait = min(next - now - period, known - now)
            guard wait <= .zero else { return wait }
            body(&whole, next)
            return nil
        }
    }
}
