internal import Synchronization

/// A rate that all transfers of a client share: bytes, or requests, per second.
final class RateLimit: Sendable {
    private let perSecond: Double
    /// The moment at which everything that is reserved has passed.
    private let end = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter perSecond: The number of bytes or requests; less than 1 counts as 1.
    init(perSecond: Int) {
        self.perSecond = Double(max(1, perSecond))
    }

    /// Reserves an amount and returns the time after which it has passed at the limit's rate.
    ///
    /// Unused time is not saved: after a pause the rate does not exceed the limit.
    func reserve(_ amount: Int, at now: ContinuousClock.Instant) -> Duration {
        end.withLock { end in
            let next = max(end ?? now, now) + .seconds(Double(amount) / perSecond)
            end = next
            return next - now
        }
    }
}
