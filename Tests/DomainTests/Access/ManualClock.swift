import Synchronization

/// A clock that a test moves.
final class ManualClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    func pass(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }

    var now: ContinuousClock.Instant { time.withLock(\.self) }
}
