/// `accounts.*`, but what concerns threads.
package struct AccountSettings: Sendable {
    /// Wrong passwords that do not lock the user yet.
    package var maxFailures: Int
    /// Seconds in which they count, and for which a lock lasts.
    package var lockoutTime: Int
    /// The most users that clients at one address make in an hour; 0 means no limit.
    package var maxSignUps: Int
    /// The most sessions of one user.
    package var maxSessions: Int
    /// The most roles of one user that grant anything.
    package var maxRoles: Int
    /// The maximum number of users that are cached with their roles.
    package var cachedSessions: Int
    /// The most bytes of a password.
    package var maxPasswordLength: Int
    /// Whether a new password ends the sessions that began with the old one.
    package var endsSessions: Bool
    /// Whether a log-in answers an unknown username like a wrong password.
    package var hidesUnknownUsers: Bool

    /// Takes every setting; the defaults are those of the configuration.
    package init(
        maxFailures: Int = 6,
        lockoutTime: Int = 900,
        maxSignUps: Int = 1000,
        maxSessions: Int = 1000,
        maxRoles: Int = 1000,
        cachedSessions: Int = 10_000,
        maxPasswordLength: Int = 1024,
        endsSessions: Bool = true,
        hidesUnknownUsers: Bool = false
    ) {
        self.maxFailures = maxFailures
        self.lockoutTime = lockoutTime
        self.maxSignUps = maxSignUps
        self.maxSessions = maxSessions
        self.maxRoles = maxRoles
        self.cachedSessions = cachedSessions
        self.maxPasswordLength = maxPasswordLength
        self.endsSessions = endsSessions
        self.hidesUnknownUsers = hidesUnknownUsers
    }
}
