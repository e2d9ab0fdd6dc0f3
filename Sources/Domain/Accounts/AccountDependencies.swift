/// The settings, services and caches on which the rules of one app's accounts depend.
package struct AccountDependencies: Sendable {
    /// The account settings.
    package var settings: AccountSettings
    /// Hashes and compares passwords.
    package var hasher: any PasswordHasher
    /// Verifies `authData` with a provider; with `nil`, clients' `authData` is not verified.
    package var verifier: (any AuthDataVerifier)?
    /// Counts wrong passwords.
    package let attempts: LoginAttempts
    /// Limits the users that clients at one address create.
    package var signUpRate: RateLimit<CallerIdentity>
    /// Limits log-ins.
    package var requestLimits: RequestLimits
    /// The cache of logged-in users.
    package let sessionCache: SessionCache

    /// - Parameters:
    ///   - settings: The account settings.
    ///   - changes: The change feed of the app's store, which invalidates the caches.
    ///   - hasher: Hashes and compares passwords.
    ///   - verifier: Verifies `authData`; `nil` means that clients' `authData` is not verified.
    ///   - attempts: Counts wrong passwords; `nil` creates a counter from the settings.
    ///   - signUpRate: Limits sign-ups; `nil` creates a limit from the settings.
    ///   - requestLimits: Limits log-ins; shared by all apps of a server.
    package init(
        settings: AccountSettings = AccountSettings(),
        changes: ChangeFeed,
        hasher: any PasswordHasher,
        verifier: (any AuthDataVerifier)? = nil,
        attempts: LoginAttempts? = nil,
        signUpRate: RateLimit<CallerIdentity>? = nil,
        requestLimits: RequestLimits = RequestLimits()
    ) {
        self.settings = settings
        self.hasher = hasher
        self.verifier = verifier
        sessionCache = SessionCache(bound: settings.cachedSessions)
        self.attempts =
            attempts ?? LoginAttempts(allowed: settings.maxFailures, seconds: settings.lockoutTime)
        self.signUpRate = signUpRate ?? .signUps(settings.maxSignUps)
        self.requestLimits = requestLimits
        sessionCache.follow(changes)
        self.attempts.follow(changes, country: settings.countryCode)
    }
}
