internal import Glibc

/// A counting semaphore for threads, whose time limits do not depend on the time of day.
///
/// On Linux, dispatch waits until a moment of `CLOCK_REALTIME`: when that clock is set back by an hour, a wait of a
/// second lasts an hour. This one waits until a moment of ``clock``, which cannot be set.
///
/// `@unchecked Sendable`: `init` alone writes the two pointers, before another thread has them. `count` is read and
/// written only while `mutex` is locked; the condition is a type of the system for several threads. Both are destroyed
/// with the last reference, so no thread can wait at that time.
package final class TimedSemaphore: @unchecked Sendable {
    /// The clock of the time limits.
    static let clock = CLOCK_MONOTONIC

    // At addresses of their own: the system does not allow that they move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    /// Creates a semaphore without signals.
    package init() {
        var attributes = pthread_condattr_t()
        TimedSemaphore.require(pthread_condattr_init(&attributes))
        TimedSemaphore.require(pthread_condattr_setclock(&attributes, TimedSemaphore.clock))
        TimedSemaphore.require(pthread_mutex_init(mutex, nil))
        TimedSemaphore.require(pthread_cond_init(condition, &attributes))
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Ends one wait, or the next one; never blocks for long.
    package func signal() {
        pthread_mutex_lock(mutex)
        count += 1
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Blocks until a signal that no other wait took.
    package func wait() {
        pthread_mutex_lock(mutex)
        while count == 0 { pthread_cond_wait(condition, mutex) }
        count -= 1
        pthread_mutex_unlock(mutex)
    }

    /// As ``wait()``, but for some time at most.
    ///
    /// - Parameter time: The time.
    /// - Returns: Whether there was a signal.
    package func wait(for time: Duration) -> Bool {
        wait(until: TimedSemaphore.now + time)
    }

    /// As ``wait()``, but until a moment of ``clock`` at most.
    func wait(until end: Duration) -> Bool {
        let (seconds, attoseconds) = end.components
        var end = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // 0 can also be a wake-up without a signal.
        while count == 0, pthread_cond_timedwait(condition, mutex, &end) == 0 {}
        guard count > 0 else { return false }
        count -= 1
        return true
    }

    /// The time of ``clock``.
    static var now: Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Ends the process if the system refuses a call that fails without memory only, or with invalid arguments.
    private static func require(_ result: CInt) {
        precondition(result == 0, "a semaphore cannot be created: \(String(cString: strerror(result)))")
    }
}
