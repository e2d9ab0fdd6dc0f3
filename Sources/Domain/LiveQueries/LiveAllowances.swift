internal import Synchronization

/// How much time the conditions of each client can take: half of the time of the task that compares changes.
///
/// So slow conditions of one client delay the events of the others by little more than ``atOnce``, and then take half of
/// the time at most. Thread-safe.
final class LiveAllowances: Sendable {
    /// Whose time a condition takes.
    enum Key: Sendable, Hashable {
        /// All clients at an address.
        case address(String)
        /// One installation, where addresses have no limit.
        case installation(InstallationID)
    }

    private let clock: @Sendable () -> ContinuousClock.Instant
    /// The time at which each client has its whole allowance again; a client without an entry has it now.
    private let whole = Mutex(RecentEntries<Key, ContinuousClock.Instant>(bound: 20_000))

    /// The time that a client can take at once.
    static let atOnce = Duration.milliseconds(500)
    /// The time in which time that was taken comes back, as a multiple of it.
    private static let recovery = 2
    /// The longest debt, so that a client has time again soon after.
    private static let maxDebt = Duration.seconds(1)

    /// - Parameter clock: Returns the current time.
    init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.clock = clock
    }

    /// The time that a client can take now; zero or negative if it has taken all.
    func remaining(of key: Key) -> Duration {
        let now = clock()
        let whole = whole.withLock { $0.value(for: key) } ?? now
        return LiveAllowances.atOnce - max(.zero, whole - now) / LiveAllowances.recovery
    }

    /// Takes time that the conditions of a client took, also more than it had.
    func take(_ time: Duration, of key: Key) {
        let now = clock()
        let latest = now + (LiveAllowances.atOnce + LiveAllowances.maxDebt) * LiveAllowances.recovery
        whole.withLock { whole in
            let known = max(whole.value(for: key) ?? now, now)
            whole.store(min(known + time * LiveAllowances.recovery, latest), for: key)
        }
    }
}
