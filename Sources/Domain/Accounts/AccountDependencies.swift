/// What the rules of one app's accounts depend on: settings, services and caches.
package struct AccountDependencies: Sendable {
    /// The settings.
    package var settings: AccountSettings
    /// Hashes and compares passwords.
    package var hasher: any PasswordHasher
    /// Verifies `authData` with a provider; with `nil`, `authData` of clients is not verified.
    package var verifier: (any AuthDataVerifier)?
    /// Counts wrong passwords.
    package let attempts: LoginAttempts
    /// Bounds how many users an address makes.
    package var signUpRate: SignUpRate
    /// The cache of logged-in users.
    package let sessionCache: SessionCache

    /// - Parameters:
    ///   - settings: The settings.
    ///   - changes: The feed of the app's store, which tells what is cached here and not true any more.
    ///   - hasher: Hashes and compares passwords.
    ///   - verifier: Checks `authData`; nil believes none.
    ///   - attempts: Counts wrong passwords; nil makes a counter by the settings.
    ///   - signUpRate: Bounds sign-ups; nil makes a bound by the settings.
    package init(
        settings: AccountSettings = AccountSettings(),
        changes: ChangeFeed,
        hasher: any PasswordHasher,
        verifier: (any AuthDataVerifier)? = nil,
        attempts: LoginAttempts? = nil,
        signUpRate: SignUpRate? = nil
    ) {
        self.settings = settings
        self.hasher = hasher
        self.verifier = verifier
        sessionCache = SessionCache(bound: settings.cachedSessions)
        self.attempts =
            attempts ?? LoginAttempts(allowed: settings.maxFailures, seconds: settings.lockoutTime)
        self.signUpRate = signUpRate ?? SignUpRate(limit: settings.maxSignUps)
        sessionCache.follow(changes)
        self.attempts.follow(changes)
    }
}
