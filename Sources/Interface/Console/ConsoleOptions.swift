package import Domain

/// What Server knows of the console's surroundings.
package struct ConsoleOptions: Sendable {
    /// Who gets the console.
    package var access: ConsoleAccess
    /// Seconds after which the browser forgets the cookie.
    package var sessionLife: Int
    /// Whether the listener encrypts its connections.
    package var isEncrypted: Bool
    /// Whether clients reach the server by HTTPS, through a proxy if the listener does not encrypt.
    package var isPublishedEncrypted: Bool
    /// The origins of file URLs, from which the site shows images.
    package var fileOrigins: [String]
    /// Log-ins that clients at one address can fail in one minute; 0 means no limit.
    package var maxFailures: Int

    /// Creates options.
    package init(
        access: ConsoleAccess = .loopback,
        sessionLife: Int = 12 * 3600,
        isEncrypted: Bool = false,
        isPublishedEncrypted: Bool = false,
        fileOrigins: [String] = [],
        maxFailures: Int = 10
    ) {
        self.access = access
        self.sessionLife = sessionLife
        self.isEncrypted = isEncrypted
        self.isPublishedEncrypted = isPublishedEncrypted
        self.fileOrigins = fileOrigins
        self.maxFailures = maxFailures
    }
}
