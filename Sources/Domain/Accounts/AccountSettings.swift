/// The `accounts.*` settings, except those on threads.
package struct AccountSettings: Sendable {
    /// The maximum number of wrong passwords that do not lock the user.
    package var maxFailures: Int
    /// Seconds for which a wrong password counts, and for which a lock lasts.
    package var lockoutTime: Int
    /// The maximum number of users that clients at one address create in an hour; 0 means no limit.
    package var maxSignUps: Int
    /// The maximum number of sessions of one user.
    package var maxSessions: Int
    /// The maximum number of roles of one user that grant rights.
    package var maxRoles: Int
    /// The maximum number of users that are cached with their roles.
    package var cachedSessions: Int
    /// The maximum length of a password in bytes.
    package var maxPasswordLength: Int
    /// Whether a new password ends the sessions that began with the old one.
    package var endsSessions: Bool
    /// The secret of the token that all log-ins of a user share; `nil` gives each log-in a token of its own.
    package var sessionSecret: SessionSecret?
    /// Whether a log-in with an unknown username gets the same error as one with a wrong password.
    package var hidesUnknownUsers: Bool
    /// Whether a user with an unverified email address cannot log in with a password.
    package var requiresVerifiedEmail: Bool
    /// Whether a new address of a user is sent a link that verifies it.
    package var verifiesEmail: Bool
    /// Whether a user with an unverified phone number cannot log in with it.
    package var requiresVerifiedPhone: Bool
    /// Whether a new phone number of a user is sent a code that verifies it.
    package var verifiesPhone: Bool
    /// The digits of the country code of phone numbers without one.
    package var countryCode: String

    /// Creates settings; the defaults are those of the configuration.
    package init(
        maxFailures: Int = 6,
        lockoutTime: Int = 900,
        maxSignUps: Int = 1000,
        maxSessions: Int = 1000,
        maxRoles: Int = 1000,
        cachedSessions: Int = 10_000,
        maxPasswordLength: Int = 1024,
        endsSessions: Bool = true,
        sessionSecret: SessionSecret? = nil,
        hidesUnknownUsers: Bool = false,
        requiresVerifiedEmail: Bool = false,
        verifiesEmail: Bool = false,
        requiresVerifiedPhone: Bool = false,
        verifiesPhone: Bool = false,
        countryCode: String = "86"
    ) {
        self.maxFailures = maxFailures
        self.lockoutTime = lockoutTime
        self.maxSignUps = maxSignUps
        self.maxSessions = maxSessions
        self.maxRoles = maxRoles
        self.cachedSessions = cachedSessions
        self.maxPasswordLength = maxPasswordLength
        self.endsSessions = endsSessions
        self.sessionSecret = sessionSecret
        self.hidesUnknownUsers = hidesUnknownUsers
        self.requiresVerifiedEmail = requiresVerifiedEmail
        self.verifiesEmail = verifiesEmail
        self.requiresVerifiedPhone = requiresVerifiedPhone
        self.verifiesPhone = verifiesPhone
        self.countryCode = countryCode
    }
}
