/// Whether and when a failed request is sent again.
///
/// The delays grow exponentially, with a random part, so that many clients do not return at the same moment. A server
/// that names a time (`Retry-After`) is not disturbed earlier.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts in sequence without progress, including the first; at least 1.
    public var attempts = 8
    /// The delay before the second attempt; each further delay is twice as long.
    public var firstDelay = Duration.milliseconds(500)
    /// The maximum delay that the policy chooses itself.
    public var longestDelay = Duration.seconds(30)
    /// The maximum `Retry-After` that is honoured; with a longer one the request fails.
    public var longestRetryAfter = Duration.seconds(300)

    /// Creates the default policy: 8 attempts within a minute.
    public init() {}

    /// A policy that never sends a request again.
    public static var none: RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = 1
        return policy
    }

    /// The delay before the next attempt.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - failures: The number of attempts in sequence that failed, including the last.
    ///   - isIdempotent: Whether the request has the same effect if the server has already processed it. Other
    ///     requests are sent again only if the server has surely not processed them: no connection, 429, or 503 unless
    ///     its code is 511.
    ///   - random: A number from 0 to 1.
    /// - Returns: The delay; `nil` if the request must not be sent again.
    public func delay(
        after error: FileClientError,
        failures: Int,
        isIdempotent: Bool = true,
        random: Double = .random(in: 0...1)
    ) -> Duration? {
        guard failures < attempts, RetryPolicy.isTemporary(error, isIdempotent: isIdempotent) else { return nil }
        // More doublings than 30 exceed every sensible limit, and would overflow.
        let doubled = firstDelay * (1 << min(30, max(0, failures - 1)))
        let delay = min(doubled, longestDelay) * (0.5 + random / 2)
        guard let wanted = error.retryAfter else { return delay }
        return wanted <= longestRetryAfter ? max(wanted, delay) : nil
    }

    /// The code of a 503 after which a change may have happened: the server has lost its database or its store.
    private static let unavailable = 511

    private static func isTemporary(_ error: FileClientError, isIdempotent: Bool) -> Bool {
        switch error.kind {
        case .unreachable: true
        case .interrupted: isIdempotent
        case .refused:
            if isIdempotent {
                [408, 429, 500, 502, 503, 504].contains(error.status)
            } else {
                error.status == 429 || error.status == 503 && error.code != unavailable
            }
        case .unexpectedAnswer, .damaged, .local, .unsized: false
        }
    }
}
