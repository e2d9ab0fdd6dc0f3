internal import NIOPosix
internal import Synchronization

/// Measures how long a new job waits for a thread of a pool: NIO's pools tell neither their queue nor their busy
/// threads.
///
/// A probe is an empty job. The next one is submitted after the last has run, so that a busy pool has one at most.
final class PoolProbe: Sendable {
    let name: String
    let threads: Int
    private let pool: NIOThreadPool
    private let state = Mutex(State())

    private struct State {
        var begin: ContinuousClock.Instant?
        var last = Duration.zero
    }

    init(_ name: String, _ pool: NIOThreadPool) {
        self.name = name
        self.pool = pool
        threads = pool.numberOfThreads
    }

    /// Submits a probe, unless one waits.
    func submit() {
        let isNew = state.withLock { state in
            guard state.begin == nil else { return false }
            state.begin = .now
            return true
        }
        guard isNew else { return }
        pool.submit { [self] _ in
            state.withLock { state in
                if let begin = state.begin { state.last = .now - begin }
                state.begin = nil
            }
        }
    }

    /// The time that the last probe waited; that of the waiting one so far, if it is longer.
    var wait: Duration {
        state.withLock { state in
            max(state.last, state.begin.map { .now - $0 } ?? .zero)
        }
    }
}
