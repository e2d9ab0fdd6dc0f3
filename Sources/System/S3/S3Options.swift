/// How patient a client is, and how it divides large objects.
package struct S3Options: Sendable {
    /// The maximum number of attempts in sequence without progress, including the first; at least 1.
    package var attempts = 6
    /// The pause before the second attempt; each further pause is twice as long, and a random part of it is left out.
    package var firstPause = Duration.milliseconds(250)
    /// The longest pause, also if the store wants a longer one.
    package var longestPause = Duration.seconds(20)
    /// Seconds for making a connection.
    package var connectTimeout = 15
    /// Seconds without a byte, in either direction, after which an attempt has failed.
    package var idleTimeout = 60
    /// Seconds after which an attempt has failed although bytes are sent; 0 for no limit.
    package var timeout = 0
    /// The maximum bytes of an object that is sent in one request.
    package var singlePutSize: Int64 = 64 << 20
    /// The bytes of a part of a larger object; at least 5 MiB, which stores require.
    ///
    /// Objects of more than 10,000 such parts have larger ones.
    package var partSize: Int64 = 64 << 20
    /// The path of certificates in PEM of further authorities; `nil` for those of the system.
    package var caFile: String?
    /// How the store encrypts new objects; `nil` for what the bucket has set.
    package var encryption: S3Encryption?
    /// The maximum number of connections that are kept open for the next requests.
    package var idleConnections = 8
    /// The user agent.
    package var userAgent = "lcfile"

    /// Creates the default options.
    package init() {}
}
