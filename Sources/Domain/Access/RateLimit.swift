/// A limit on how often something happens for each client address, user or app: a token bucket for each.
///
/// Thread-safe.
package struct RateLimit<Key: Hashable & Sendable>: Sendable {
    /// `nil` for no limit.
    private let buckets: TokenBuckets<Key>?
    private let setting: String
    private let refusal: String

    /// - Parameters:
    ///   - count: How often it can happen at once, and in the period; 0 means no limit.
    ///   - seconds: The period.
    ///   - setting: The name of the setting.
    ///   - refusal: Says who has reached which limit, without an end: "Clients at this address have sent 100 requests,
    ///     the limit for one minute".
    ///   - clock: Returns the current time.
    package init(
        _ count: Int,
        seconds: Int,
        setting: String,
        refusal: String,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        buckets = count > 0 ? TokenBuckets(count: count, period: .seconds(seconds), clock: clock) : nil
        self.setting = setting
        self.refusal = refusal
    }

    /// Counts a number of events.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` with the seconds to wait, if the limit is reached; then they do not
    ///   count.
    package func take(_ count: Int = 1, for key: Key) throws {
        if let wait = buckets?.take(count, for: key) { throw error(wait) }
    }

    /// Throws as ``take(_:for:)`` would, and counts nothing.
    package func require(for key: Key) throws {
        if let wait = buckets?.wait(for: key) { throw error(wait) }
    }

    /// Takes back the count of one event that ``take(_:for:)`` counted and that did not happen.
    package func giveBack(for key: Key) {
        buckets?.giveBack(for: key)
    }

    private func error(_ wait: Duration) -> ServiceError {
        let seconds = Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        let unit = seconds == 1 ? "second" : "seconds"
        return ServiceError(
            .overloaded,
            "\(refusal) (\(setting)); try again in \(seconds) \(unit).",
            limit: setting,
            retryAfter: seconds
        )
    }
}

/// Limits by the address of callers, because a client can sign up any number of users.
extension RateLimit<CallerIdentity> {
    /// As ``take(_:for:)``; the master key has no limit.
    package func take(for caller: Caller) throws {
        if !caller.isMaster { try take(for: caller.identityByAddress) }
    }

    /// As ``require(for:)``; the master key has no limit.
    package func require(for caller: Caller) throws {
        if !caller.isMaster { try require(for: caller.identityByAddress) }
    }

    /// As ``giveBack(for:)``.
    package func giveBack(for caller: Caller) {
        if !caller.isMaster { giveBack(for: caller.identityByAddress) }
    }

    /// How many users clients at one address create in an hour, for an app (`accounts.maxSignUps`).
    ///
    /// Sign-ups by users count like those by guests, because a client could otherwise sign up with the sessions that it
    /// just received.
    package static func signUps(
        _ count: Int,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) -> RateLimit {
        RateLimit(
            count,
            seconds: 3600,
            setting: "accounts.maxSignUps",
            refusal: "Clients at this address have created \(count) users, the limit for one hour",
            clock: clock
        )
    }

    /// How many live queries clients at one address subscribe to, for an app: ten times the number in a second
    /// (`liveQueries.subscribeRate`) in ten seconds.
    static func subscriptions(
        _ rate: Int,
        clock: @escaping @Sendable () -> ContinuousClock.Instant
    ) -> RateLimit {
        RateLimit(
            10 * max(1, rate),
            seconds: 10,
            setting: "liveQueries.subscribeRate",
            refusal: "Clients at this address have subscribed to more than \(rate) live queries in a second, the limit",
            clock: clock
        )
    }
}
