/// The temporary credentials of a source and the state of their renewal; without I/O.
struct CredentialState {
    /// Credentials with the times at which they arrived, are due for renewal, and end.
    private struct Held {
        let credentials: S3Credentials
        let since: ContinuousClock.Instant
        let renewal: ContinuousClock.Instant
        let end: ContinuousClock.Instant
    }

    private var held: Held?
    /// Whether a thread renews them now.
    private(set) var isRenewing = false
    /// The last failure since the last success.
    private var failure: (error: S3Error, at: ContinuousClock.Instant)?

    /// How long before their end credentials are renewed, unless a third of their life is shorter.
    private static let margin = Duration.seconds(300)
    /// The minimum time between a renewal and the next one while the credentials are valid.
    private static let pause = Duration.seconds(10)
    /// The same without valid credentials: all requests within it fail with the error of the one that has tried.
    private static let shortPause = Duration.seconds(1)

    /// What a thread that needs credentials does.
    enum Step {
        /// Use these credentials.
        case use(S3Credentials)
        /// Use these credentials, and let another thread renew them.
        case useAndRenew(S3Credentials)
        /// Renew the credentials.
        case renew
        /// Wait for the thread that renews the credentials.
        case wait
        case fail(S3Error)
    }

    /// The next step; after ``Step/renew`` and ``Step/useAndRenew(_:)`` a call of ``store(_:life:at:)`` or ``fail(_:at:)``
    /// has to follow.
    mutating func step(at now: ContinuousClock.Instant) -> Step {
        guard let held, now < held.end else {
            if isRenewing { return .wait }
            if let failure, now < failure.at + CredentialState.shortPause { return .fail(failure.error) }
            isRenewing = true
            return .renew
        }
        let isPaused = failure.map { now < $0.at + CredentialState.pause } ?? false
        guard now >= held.renewal, !isRenewing, !isPaused else { return .use(held.credentials) }
        isRenewing = true
        return .useAndRenew(held.credentials)
    }

    /// Stores the result of a renewal.
    ///
    /// - Parameters:
    ///   - credentials: The new credentials.
    ///   - life: The number of seconds until their end, more than 0.
    ///   - now: The current time.
    mutating func store(_ credentials: S3Credentials, life: Int64, at now: ContinuousClock.Instant) {
        let life = Duration.seconds(life)
        let end = now + life
        let renewal = end - min(CredentialState.margin, life / 3)
        held = Held(credentials: credentials, since: now, renewal: renewal, end: end)
        failure = nil
        isRenewing = false
    }

    /// Notes that a renewal has failed.
    mutating func fail(_ error: S3Error, at now: ContinuousClock.Instant) {
        isRenewing = false
        // A caller that was stopped says nothing about the next one.
        if error.reason != .stopped { failure = (error, now) }
    }

    /// The credentials, if they are valid until a time.
    func known(until time: ContinuousClock.Instant) -> S3Credentials? {
        held.flatMap { time <= $0.end ? $0.credentials : nil }
    }

    /// Discards credentials; returns whether the next step can be other credentials.
    ///
    /// Credentials that have just arrived stay: a store that refuses them would refuse the next ones, too, and each
    /// request would cost an exchange.
    mutating func discard(_ refused: S3Credentials, at now: ContinuousClock.Instant) -> Bool {
        guard let held, held.credentials.sessionToken == refused.sessionToken else { return true }
        guard now >= held.since + CredentialState.pause else { return false }
        self.held = nil
        return true
    }
}
