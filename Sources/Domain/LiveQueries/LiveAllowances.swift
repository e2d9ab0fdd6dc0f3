internal import Synchronization

/// How much time the conditions of each client can take: half of the time of the task that compares changes.
///
/// So slow conditions of one client delay the events of the others by little more than ``atOnce``, many quick ones by
/// ``overdraft`` more, and then they take half of the time at most. All times are processor time. Thread-safe.
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
    private let recoveredAt = Mutex(RecentEntries<Key, ContinuousClock.Instant>(bound: 20_000))

    /// The time that a client can take at once.
    static let atOnce = Duration.milliseconds(500)
    /// The time beyond its allowance after which not even quick conditions of a client are evaluated.
    ///
    /// Below it, a client with one slow condition keeps the events of its quick ones.
    static let overdraft = Duration.milliseconds(500)
    /// The time in which time that was taken comes back, as a multiple of it.
    private static let recovery = 2
    /// The maximum excess over the allowance that is counted, so that a client has time again soon after.
    private static let maxExcess = Duration.seconds(1)

    /// - Parameter clock: Returns the current time.
    init(clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.clock = clock
    }

    /// The longest time that one of several clients can take now; zero or negative if all have taken theirs.
    ///
    /// - Parameters:
    ///   - clients: The clients, at least one.
    ///   - times: What clients took since the last ``take(_:)``.
    /// - Returns: The time.
    func remaining(of clients: Set<Key>, after times: [Key: Duration] = [:]) -> Duration {
        let now = clock()
        return recoveredAt.withLock { recoveredAt in
            let remaining = clients.map { client in
                let end = recoveredAt.value(for: client) ?? now
                return LiveAllowances.atOnce - max(.zero, end - now) / LiveAllowances.recovery
                    - times[client, default: .zero]
            }
            return remaining.max() ?? .zero
        }
    }

    /// Takes the time that the conditions of clients took, also more than they had.
    func take(_ times: [Key: Duration]) {
        let now = clock()
        let latest = now + (LiveAllowances.atOnce + LiveAllowances.maxExcess) * LiveAllowances.recovery
        recoveredAt.withLock { recoveredAt in
            for (client, time) in times {
                let known = max(recoveredAt.value(for: client) ?? now, now)
                recoveredAt.store(min(known + time * LiveAllowances.recovery, latest), for: client)
            }
        }
    }
}
