/// The settings of checks that an operator makes for the whole server.
package struct CheckLimits: Sendable {
    /// The number of checks of one app at the same time (`censorship.workers`).
    package var workers = 1
    /// The number of failed attempts after which a person has to decide (`censorship.attempts`).
    package var attempts = 5
    /// Seconds for one checker (`censorship.timeout`).
    package var timeout = 60
    /// The maximum number of frames of an animation that are checked (`censorship.frames`).
    package var frames = 5
    /// Seconds for which the answer of a webhook can follow later (`censorship.callbackTimeout`).
    package var callbackTimeout = 3600
    /// Seconds before a failed job is tried again (`censorship.retryPause`); each further failure multiplies them by
    /// four.
    package var retryPause = 5

    /// Creates the default limits.
    package init() {}

    /// Milliseconds for which a worker has a job to itself: longer than reading the image and three checkers can take.
    package var leaseTime: Int64 { Int64(timeout) * 4_000 + 60_000 }

    /// Milliseconds after which a job is tried again that failed a number of times; at most an hour.
    func pause(afterFailures count: Int) -> Int64 {
        min(3_600_000, Int64(retryPause) * 1000 << (2 * min(count - 1, 10)))
    }
}
