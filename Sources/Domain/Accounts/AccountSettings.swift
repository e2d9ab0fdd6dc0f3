/// How accounts of one app work: settings, and what they need.
package struct Accounts: Sendable {
    /// The settings.
    package var settings: AccountSettings
    /// Hashes and compares passwords.
    package var hasher: any PasswordHasher
    /// Verifies `authData` with a provider; with `nil`, `authData` of clients is not verified.
    package var verifier: (any AuthDataVerifier)?
    /// Counts wrong passwords.
    package let attempts: LoginAttempts
    /// Bounds how many users an address makes.
    package var signUps: SignUpRate
    /// The cache of logged-in users.
    package let sessions: SessionCache

    /// - Parameters:
    ///   - settings: The settings.
    ///   - changes: The feed of the app's store, which tells what is cached here and not true any more.
    ///   - hasher: Hashes and compares passwords.
    ///   - verifier: Checks `authData`; nil believes none.
    ///   - attempts: Counts wrong passwords; nil makes a counter by the settings.
    ///   - signUps: Bounds sign-ups; nil makes a bound by the settings.
    package init(
        settings: AccountSettings = AccountSettings(),
        changes: ChangeFeed,
        hasher: any PasswordHasher,
        verifier: (any AuthDataVerifier)? = nil,
        attempts: LoginAttempts? = nil,
        signUps: SignUpRate? = nil
    ) {
        self.settings = settings
        self.hasher = hasher
        self.verifier = verifier
        sessions = SessionCache(bound: settings.cachedSessions)
        self.attempts =
            attempts ?? LoginAttempts(allowed: settings.failures, seconds: settings.lockoutTime)
        self.signUps = signUps ?? SignUpRate(limit: settings.signUps)
        sessions.follow(changes)
        self.attempts.follow(changes)
    }
}

/// `accounts.*`, but what concerns threads.
package struct AccountSettings: Sendable {
    /// Wrong passwords that do not lock the user yet.
    package var failures: Int
    /// Seconds in which they count, and for which a lock lasts.
    package var lockoutTime: Int
    /// The most users that clients at one address make in an hour; 0 means no limit.
    package var signUps: Int
    /// The most sessions of one user.
    package var sessions: Int
    /// The most roles of one user that grant anything.
    package var roles: Int
    /// The maximum number of users that are cached with their roles.
    package var cachedSessions: Int
    /// The most bytes of a password.
    package var passwordLength: Int
    /// Whether a new password ends the sessions that began with the old one.
    package var endsSessions: Bool
    /// Whether a log-in answers an unknown username like a wrong password.
    package var hidesUnknownUsers: Bool

    /// Takes every setting; the defaults are those of the configuration.
    package init(
        failures: Int = 6,
        lockoutTime: Int = 900,
        signUps: Int = 1000,
        sessions: Int = 1000,
        roles: Int = 1000,
        cachedSessions: Int = 10_000,
        passwordLength: Int = 1024,
        endsSessions: Bool = true,
        hidesUnknownUsers: Bool = false
    ) {
        self.failures = failures
        self.lockoutTime = lockoutTime
        self.signUps = signUps
        self.sessions = sessions
        self.roles = roles
        self.cachedSessions = cachedSessions
        self.passwordLength = passwordLength
        self.endsSessions = endsSessions
        self.hidesUnknownUsers = hidesUnknownUsers
    }
}
