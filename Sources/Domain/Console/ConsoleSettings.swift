/// The limits of the console (docs/console.md).
package struct ConsoleSettings: Sendable {
    /// Seconds after which a session ends, from its log-in.
    package var sessionLife = 12 * 3600
    /// Seconds after which a session ends that no request uses.
    package var idleTime = 30 * 60
    /// The maximum number of sessions of an app with the master key, and as many with the read-only key.
    ///
    /// The next log-in ends the one with the same key that was used the longest ago.
    package var maxSessions = 100
    /// Log-ins that clients at one address can fail in one minute; 0 means no limit.
    package var maxFailures = 10
    /// Days for which the entries of the audit log are stored.
    package var auditLife = 365

    /// Creates settings with the defaults.
    package init() {}
}

/// Who gets the console.
package enum ConsoleAccess: String, Sendable, CaseIterable {
    /// No one.
    case off
    /// Browsers on the machine itself.
    case loopback
    /// Every client that connects by TLS, and browsers on the machine itself.
    case on
}
