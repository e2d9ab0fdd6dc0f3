import Synchronization

/// Counts calls of several threads.
final class CallCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func reset() {
        count.withLock { $0 = 0 }
    }
}
